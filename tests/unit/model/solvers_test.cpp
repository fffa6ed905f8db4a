#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>

#include "halocline/core/error.hpp"
#include "halocline/machine/interconnect.hpp"
#include "halocline/model/simulate.hpp"
#include "unit/model/solvers.hpp"

namespace halocline::model {
namespace {

/// Flows over links that are nothing but numbers: shared resources of flows that stay where they are.
struct Case {
  std::vector<SharedResource> links;
  std::vector<Flow> flows;
};

/// Few different bandwidths and sizes, so that many moments coincide; flows wait for earlier ones. Of the first `by_weight` links flows
/// take by weight, each of two at most.
Case random_case(unsigned seed, int links, int flows, int by_weight = 0) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  Case made;
  for (int l = 0; l < by_weight + links; ++l) made.links.push_back({"link", 1e9 * (1 + below(5))});
  for (int f = 0; f < flows; ++f) {
    Flow flow{{node_id(0), 0}, {node_id(0), 0}, 1'000'000 * below(6), 1e-5 * below(3)};
    for (int l = below(4); l >= 0; --l) flow.resources.push_back(by_weight + below(links));
    if (by_weight > 0) {
      flow.weights.assign(flow.resources.size(), 1);
      for (int l = below(3); l > 0; --l) {
        flow.resources.push_back(below(by_weight));
        flow.weights.push_back(0.3 * (1 + below(4)));
      }
    }
    if (f > 0 && below(3) == 0) flow.after.push_back(below(f));
    if (f > 0 && below(5) == 0) flow.after.push_back(below(f));
    made.flows.push_back(flow);
  }
  return made;
}

std::vector<double> ends_of(const Case& some, Solver solver) {
  static const machine::Interconnect net{machine::synthetic({})};
  return simulate(net, some.links, some.flows, solver).ends;
}

/// By definition: at each moment all rates are filled from nothing, and time goes on to the next end of a latency or of a flow.
class ByDefinition {
 public:
  explicit ByDefinition(const Case& some) : case_(some), ends_(some.flows.size(), never) {
    for (const Flow& flow : some.flows) {
      left_.push_back(static_cast<double>(flow.bytes));
      starts_.push_back(never);
    }
  }

  std::vector<double> ends() {
    double now = 0;
    for (;;) {
      while (settle(now)) {
      }
      const std::vector<double> rates = fill(now);
      const double next = moment_after(now, rates);
      if (next == never) return ends_;
      for (std::size_t f = 0; f < left_.size(); ++f) {
        left_[f] -= rates[f] * (next - now);
        if (left_[f] < 1e-9 * static_cast<double>(case_.flows[f].bytes)) left_[f] = 0;
      }
      now = next;
    }
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// Whether any flow began to wait, or ended.
  bool settle(double now) {
    bool any = false;
    for (std::size_t f = 0; f < left_.size(); ++f) {
      const auto& after = case_.flows[f].after;
      const bool free = std::all_of(after.begin(), after.end(),
                                    [&](int before) { return ends_[static_cast<std::size_t>(before)] != never; });
      if (starts_[f] == never && free) {
        starts_[f] = now + case_.flows[f].latency;
        any = true;
      }
      if (ends_[f] == never && starts_[f] <= now && left_[f] == 0) {
        ends_[f] = now;
        any = true;
      }
    }
    return any;
  }

  /// What the flow's rate takes of the link; 0 where it does not pass it.
  [[nodiscard]] double weight(std::size_t flow, std::size_t link) const {
    const Flow& one = case_.flows[flow];
    double most = 0;
    for (std::size_t r = 0; r < one.resources.size(); ++r) {
      if (one.resources[r] == static_cast<int>(link)) most = std::max(most, one.weights.empty() ? 1 : one.weights[r]);
    }
    return most;
  }

  [[nodiscard]] std::vector<double> fill(double now) const {
    std::vector<double> rates(left_.size(), 0);
    std::vector<bool> open(left_.size());
    for (std::size_t f = 0; f < left_.size(); ++f) open[f] = ends_[f] == never && starts_[f] <= now;
    while (std::find(open.begin(), open.end(), true) != open.end()) {
      double least = never;
      std::size_t bottleneck = 0;
      for (std::size_t l = 0; l < case_.links.size(); ++l) {
        double share = case_.links[l].bandwidth;
        double users = 0;
        for (std::size_t f = 0; f < left_.size(); ++f) {
          share -= weight(f, l) * rates[f];
          if (open[f]) users += weight(f, l);
        }
        if (users > 0 && share / users < least) {
          least = share / users;
          bottleneck = l;
        }
      }
      for (std::size_t f = 0; f < left_.size(); ++f) {
        if (!open[f] || weight(f, bottleneck) == 0) continue;
        rates[f] = least;
        open[f] = false;
      }
    }
    return rates;
  }

  [[nodiscard]] double moment_after(double now, const std::vector<double>& rates) const {
    double next = never;
    for (std::size_t f = 0; f < left_.size(); ++f) {
      if (starts_[f] > now && starts_[f] != never) next = std::min(next, starts_[f]);
      if (rates[f] > 0) next = std::min(next, now + left_[f] / rates[f]);
    }
    return next;
  }

  const Case& case_;
  std::vector<double> ends_;
  std::vector<double> left_;
  std::vector<double> starts_;
};

class Solvers : public testing::TestWithParam<Solver> {
 protected:
  void SetUp() override { HC_NEED_SOLVER(GetParam()); }
};

TEST_P(Solvers, ComeToWhatTheDefinitionSays) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Case some = random_case(seed, 1 + static_cast<int>(seed % 9), 1 + static_cast<int>(seed));
    const auto expected = ByDefinition(some).ends();
    const auto found = ends_of(some, GetParam());
    for (std::size_t f = 0; f < expected.size(); ++f) {
      ASSERT_NEAR(found[f], expected[f], 1e-6 * expected[f] + 1e-10) << "seed " << seed << ", flow " << f;
    }
  }
}

TEST_P(Solvers, TakeOfLinksByWeightAsTheDefinitionSays) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Case some =
        random_case(seed, 1 + static_cast<int>(seed % 5), 1 + static_cast<int>(seed), 1 + static_cast<int>(seed % 4));
    const auto expected = ByDefinition(some).ends();
    const auto found = ends_of(some, GetParam());
    for (std::size_t f = 0; f < expected.size(); ++f) {
      ASSERT_NEAR(found[f], expected[f], 1e-6 * expected[f] + 1e-10) << "seed " << seed << ", flow " << f;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, testing::ValuesIn(all_solvers), solver_name);

TEST(MaxMin, AgreesWithSimGridOnLargeCases) {
  HC_NEED_SOLVER(Solver::simgrid);
  for (unsigned seed = 100; seed < 106; ++seed) {
    const Case some = random_case(seed, 150, 1000, seed % 2 == 0 ? 0 : 40);
    const auto found = ends_of(some, Solver::max_min);
    const auto expected = ends_of(some, Solver::simgrid);
    for (std::size_t f = 0; f < expected.size(); ++f) {
      ASSERT_NEAR(found[f], expected[f], 1e-6 * expected[f] + 1e-10) << "seed " << seed << ", flow " << f;
    }
  }
}

TEST(SimGrid, RefusesAFlowWithThreeWeights) {
  HC_NEED_SOLVER(Solver::simgrid);
  Case some = random_case(1, 3, 2);
  some.flows[1].resources = {0, 1, 2};
  some.flows[1].weights = {2, 3, 4};
  EXPECT_EQ(ends_of(some, Solver::max_min).size(), 2U);
  try {
    (void)ends_of(some, Solver::simgrid);
    FAIL() << "nothing was thrown";
  } catch (const CapabilityError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("flow 1 has 3 resources that flows take by weight"));
  }
}

class SimGridProgram : public testing::Test {
 protected:
  void TearDown() override { unsetenv("HALOCLINE_SIMGRID_PROGRAM"); }
  static std::string refusal() {
    try {
      (void)ends_of(random_case(1, 2, 3), Solver::simgrid);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }
};

TEST_F(SimGridProgram, IsNamedWhereItIsNotThere) {
  setenv("HALOCLINE_SIMGRID_PROGRAM", "/nowhere/simgrid", 1);
  EXPECT_FALSE(has_solver(Solver::simgrid));
  EXPECT_TRUE(has_solver(Solver::max_min));
  EXPECT_THAT(refusal(),
              testing::AllOf(testing::HasSubstr("/nowhere/simgrid"), testing::HasSubstr("HALOCLINE_SIMGRID=ON")));
}

TEST_F(SimGridProgram, IsNotBelievedWhereItFails) {
  for (const char* program : {"/bin/false", "/bin/true"}) {
    setenv("HALOCLINE_SIMGRID_PROGRAM", program, 1);
    EXPECT_THAT(refusal(), testing::HasSubstr("ended without a result")) << program;
  }
}

}  // namespace
}  // namespace halocline::model

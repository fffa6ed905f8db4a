// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/simulation/network.hpp"
#include "support/flow_case.hpp"

namespace halocline::model::simulation {
namespace {

using test::FlowCase;

/// The definition: recompute all rates at each event, then advance to the next end of a latency or of a flow.
class ByDefinition {
 public:
  explicit ByDefinition(const FlowCase& some) : case_(some), ends_(some.flows.size(), never) {
    for (const LinkFlow& flow : some.flows) {
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

  /// Whether any flow started its latency, or ended.
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

  /// The share of the link that the flow's rate uses; 0 if its route does not include the link.
  [[nodiscard]] double weight(std::size_t flow, std::size_t link) const {
    const LinkFlow& one = case_.flows[flow];
    const auto found = std::ranges::find(one.links, static_cast<int>(link));
    return found == one.links.end() ? 0 : one.weight(static_cast<std::size_t>(found - one.links.begin()));
  }

  [[nodiscard]] std::vector<double> fill(double now) const {
    std::vector<double> rates(left_.size(), 0);
    std::vector<bool> open(left_.size());
    for (std::size_t f = 0; f < left_.size(); ++f) open[f] = ends_[f] == never && starts_[f] <= now;
    while (std::find(open.begin(), open.end(), true) != open.end()) {
      double least = never;
      std::size_t bottleneck = 0;
      for (std::size_t l = 0; l < case_.bandwidths.size(); ++l) {
        double share = case_.bandwidths[l];
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

  const FlowCase& case_;
  std::vector<double> ends_;
  std::vector<double> left_;
  std::vector<double> starts_;
};

void expect_as_defined(const FlowCase& some, unsigned seed) {
  const auto expected = ByDefinition(some).ends();
  const auto found = ends_by_max_min(some.bandwidths, some.flows);
  for (std::size_t f = 0; f < expected.size(); ++f) {
    ASSERT_NEAR(found[f], expected[f], 1e-6 * expected[f] + 1e-10) << "seed " << seed << ", flow " << f;
  }
}

TEST(MaxMin, AgreesWithTheDefinition) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    expect_as_defined(test::random_flows(seed, 1 + static_cast<int>(seed % 9), 1 + static_cast<int>(seed)), seed);
  }
}

TEST(MaxMin, AgreesWithTheDefinitionByWeight) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    expect_as_defined(test::random_flows(seed, 1 + static_cast<int>(seed % 5), 1 + static_cast<int>(seed),
                                         1 + static_cast<int>(seed % 4)),
                      seed);
  }
}

}  // namespace
}  // namespace halocline::model::simulation

// SPDX-License-Identifier: BSD-3-Clause
// net between nodes, with ranks as threads: graphs, failures that go beyond the node, and where it is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "contract/exchange/delayed_chunks.hpp"
#include "contract/exchange/engines.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "ranks.hpp"
#include "routing/choose.hpp"
#include "support/captured.hpp"
#include "support/forwarding_communicator.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

using routing::NetEngine;

DomainOptions between_nodes(NetEngine engine, std::shared_ptr<device::Injector> injector = nullptr) {
  DomainOptions options = options_with(std::move(injector), routing::Transport::net, 60s);
  options.machine.ranks_per_node = 1;
  options.routing.net_engine = engine;
  return options;
}

using Net = ByEngine;
INSTANTIATE_TEST_SUITE_P(engines, Net, both_engines, by_engine);

TEST_P(Net, exchanges_are_captured_and_replayed_between_eager_ones) {
  const auto all = outcomes(2, [engine = GetParam()](comm::RankGroup& comm) {
    constexpr Vec3 extent{12, 10, 8};
    Domain domain(extent, Stencil::box(1), comm, between_nodes(engine));
    const auto u = domain.add_field<double>("u");
    domain.realize();
    ASSERT_THAT(domain.explain(), HasSubstr("net: two nodes, the devices post to a proxy of the host"));
    const auto start = [](const Vec3& p) { return static_cast<double>(p.x + 100 * p.y + 10000 * p.z); };
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = start(p); });
    }
    const auto step = [&] {
      for (const Subdomain& s : domain.subdomains()) {
        s.launch(s.owned(),
                 [view = s.view(u)](const Box& part) { for_each_cell(part, [&](const Vec3& p) { view(p) += 1; }); });
      }
      domain.exchange();
    };
    step();
    {
      Graph graph = captured(domain, step);
      for (int replay = 0; replay < 7; ++replay) graph.launch();
      step();
      graph.launch();
      graph.launch();
      domain.synchronize();
    }
    int wrong = 0;
    for (const Subdomain& s : domain.subdomains()) {
      const auto view = s.view(u);
      for_each_cell(view.with_halo(), [&](const Vec3& p) {
        Vec3 q = p;
        for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
        wrong += view(p) == start(q) + 11 ? 0 : 1;
      });
    }
    EXPECT_EQ(wrong, 0);
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

/// Each part has a port of its own.
TEST_P(Net, messages_in_parts_are_right_with_delays_everywhere) {
  for (const int ranks : {1, 2, 4}) {
    expect_right_in_delayed_chunks(ranks, 300, 13 * 7919, 4, [engine = GetParam()](HaloCase& c, std::uint64_t) {
      c.policy.order = {routing::Transport::net};
      c.net_engine = engine;
    });
  }
}

TEST_P(Net, a_failure_reaches_the_ranks_of_other_nodes_with_its_reason) {
  const auto all = outcomes(2, [engine = GetParam()](comm::RankGroup& comm) {
    const auto injector = std::make_shared<FailNth>(device::Operation::copy_list, 1 << 30);
    Domain domain({12, 12, 12}, Stencil::box(1), comm, between_nodes(engine, injector));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    if (comm.rank() == rank_id(1)) injector->fail_next();
    domain.exchange();
    domain.synchronize();
  });
  EXPECT_THAT(all[1].text, HasSubstr("planted"));
  EXPECT_THAT(all[0].text,
              AllOf(HasSubstr("(net, rank"), HasSubstr("the other end has given up"), HasSubstr("planted")));
  for (const Outcome& outcome : all) EXPECT_LT(outcome.took, 20s);
}

/// A rank that is missing in the group of net, which is made of the domain's, which is made of the test's.
struct Loss {
  bool planted = false;
  bool no_thread = false;  ///< of this rank can call the group
  bool seen = false;
  int barriers_after = 0;  ///< of the domain's group: it would be missing there, too
};

class Losing final : public ForwardingCommunicator {
 public:
  Losing(comm::RankGroup& inner, Loss& loss) : ForwardingCommunicator(inner), loss_(&loss) {}
  [[nodiscard]] std::unique_ptr<comm::RankGroup> split(int colour, int key) override {
    auto group = inner().split(colour, key);
    auto made = std::make_unique<Losing>(*group, *loss_);
    made->group_ = std::move(group);
    made->depth_ = depth_ + 1;
    return made;
  }
  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override {
    lose();
    return ForwardingCommunicator::all_gather(bytes);
  }
  [[nodiscard]] std::unique_ptr<comm::ConcurrentCaller> concurrent_caller() override {
    if (loss_->no_thread) throw ResourceError("planted: no thread");
    return ForwardingCommunicator::concurrent_caller();
  }
  void close() override {
    lose();
    ForwardingCommunicator::close();
  }
  void barrier() override {
    if (loss_->seen) ++loss_->barriers_after;
    ForwardingCommunicator::barrier();
  }

 private:
  void lose() {
    if (!loss_->planted || depth_ < 2) return;
    loss_->seen = true;
    throw DeadlineError("planted: a rank is missing");
  }
  std::unique_ptr<comm::RankGroup> group_;
  Loss* loss_;
  int depth_ = 0;
};

TEST_P(Net, a_rank_that_is_missing_when_it_is_closed_is_an_error) {
  const auto all = outcomes(2, [engine = GetParam()](comm::RankGroup& comm) {
    Loss loss;
    Losing group(comm, loss);
    Domain domain({12, 12, 12}, Stencil::box(1), group, between_nodes(engine));
    domain.add_field<double>("u");
    domain.realize();
    domain.exchange();
    domain.synchronize();
    loss.planted = true;
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_THAT(outcome.text, HasSubstr("planted"));
}

/// The others have a thread by then, and no end of theirs waits for the rank's.
TEST_P(Net, a_rank_whose_thread_cannot_start_delays_nobody) {
  const auto all = outcomes(3, [engine = GetParam()](comm::RankGroup& comm) {
    Loss loss{.no_thread = comm.rank() == rank_id(1)};
    Losing group(comm, loss);
    Domain domain({12, 12, 12}, Stencil::box(1), group, between_nodes(engine));
    domain.add_field<double>("u");
    domain.realize();
  });
  for (const Outcome& outcome : all) {
    EXPECT_THAT(outcome.text, HasSubstr("rank 1: planted: no thread"));
    EXPECT_LT(outcome.took, 20s);
  }
}

TEST(NetSetUp, a_rank_that_is_missing_is_waited_for_once) {
  if (const std::string why = ucx_missing(); !why.empty()) GTEST_SKIP() << why;
  std::array<int, 2> barriers{};
  const auto all = outcomes(2, [&](comm::RankGroup& comm) {
    Loss loss{.planted = true};
    Losing group(comm, loss);
    Domain domain({12, 12, 12}, Stencil::box(1), group, between_nodes(NetEngine::ucx));
    domain.add_field<double>("u");
    try {
      domain.realize();
    } catch (...) {
      barriers[comm.rank().index()] = loss.barriers_after;
      throw;
    }
  });
  for (const Outcome& outcome : all) EXPECT_THAT(outcome.text, HasSubstr("planted"));
  EXPECT_THAT(barriers, testing::Each(0));
}

TEST(NetRoutes, devices_that_cannot_wait_for_each_other_are_the_reason_against_it) {
  routing::PairFacts facts;
  facts.mpi = true;
  facts.direct_safe = Verdict::of(false, "launches are serialised");
  EXPECT_EQ(routing::possible(routing::Transport::net, facts).why_not, "not safe: launches are serialised");
}

TEST(NetRoutes, it_is_not_chosen_unless_it_is_listed) {
  const auto all = outcomes(2, [](comm::RankGroup& comm) {
    DomainOptions options = between_nodes(NetEngine::automatic);
    options.routing.policy = {};
    Domain domain({12, 12, 12}, Stencil::box(1), comm, options);
    domain.add_field<double>("u");
    domain.realize();
    EXPECT_THAT(domain.explain(), testing::Not(HasSubstr("net: ")));
    domain.close();
  });
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.text, "");
}

}  // namespace
}  // namespace halocline::test

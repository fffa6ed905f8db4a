// SPDX-License-Identifier: BSD-3-Clause
// How messages are consolidated where that is left to the model.
#include "plan/message_ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/synthetic.hpp"

namespace halocline {
namespace {

using routing::Messages;
using testing::HasSubstr;

constexpr MessageFreedom host{.device_mpi = false, .by_node = true};
constexpr MessageFreedom gpus{.device_mpi = false, .by_node = false};

/// Two nodes of four devices, 16^3 cells each.
Plan plan_of(const machine::Software& software, std::int64_t ranks_per_node = 4, std::int64_t cells = 16) {
  PlanRequest request;
  request.extent = Vec3::filled(2 * cells);
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u", .element = Element::f64}};
  request.machine = machine::synthetic({.nodes = 2, .devices_per_node = 4, .ranks_per_node = ranks_per_node});
  request.machine.software = software;
  return make_plan(request);
}

MessageRanking ranking_of(const Plan& plan, const MessageFreedom& freedom) {
  return rank_messages(plan, routing::Policy::parse("self,direct,mpi_staged"), freedom);
}

double predicted(const MessageRanking& ranking, Messages messages) {
  return std::ranges::find(ranking.candidates, messages, &MessageRanking::Candidate::messages)->seconds;
}

TEST(MessageRanking, ConsolidatesWhereEachMessageCosts) {
  const machine::Software costly{.mpi_latency = 100e-6, .mpi_overhead = 50e-6, .device_launch = 1e-6};
  const MessageRanking by_node = ranking_of(plan_of(costly), host);
  EXPECT_EQ(by_node.chosen, Messages::by_node);
  ASSERT_EQ(by_node.candidates.size(), 4u);
  EXPECT_EQ(by_node.candidates.front().messages, Messages::by_node);
  EXPECT_EQ(by_node.candidates.back().messages, Messages::by_direction);
  EXPECT_EQ(predicted(by_node, Messages::by_rank), predicted(by_node, Messages::by_neighbour))
      << "ranks with one device have one message for another rank";
  // A rank of each node drives four devices: the bundle by rank is the bundle by node.
  EXPECT_EQ(ranking_of(plan_of(costly, 1), gpus).chosen, Messages::by_rank);
  EXPECT_EQ(ranking_of(plan_of(costly), gpus).chosen, Messages::by_neighbour) << "GPUs cannot send by node";
}

TEST(MessageRanking, KeepsNeighboursUnlessAnotherIsMuchFaster) {
  const machine::Software cheap{.mpi_latency = 100e-6, .mpi_overhead = 1e-7, .device_launch = 1e-7};
  const MessageRanking ranking = ranking_of(plan_of(cheap), host);
  EXPECT_EQ(ranking.chosen, Messages::by_neighbour);
  ASSERT_FALSE(ranking.candidates.empty());
  EXPECT_LT(predicted(ranking, Messages::by_neighbour),
            MessageRanking::least_gain * ranking.candidates.front().seconds);
  // Where bytes count, one leader's message is no faster than four ranks' messages.
  EXPECT_EQ(ranking_of(plan_of({.mpi_injection = 1e8, .mpi_latency = 1e-6, .mpi_overhead = 1e-6}, 4, 128), host).chosen,
            Messages::by_neighbour);
}

TEST(MessageRanking, NeedsTimesOfMessages) {
  const MessageRanking ranking = ranking_of(plan_of({}), host);
  EXPECT_EQ(ranking.chosen, Messages::by_neighbour);
  EXPECT_TRUE(ranking.candidates.empty());
  EXPECT_THAT(explain_messages(ranking),
              HasSubstr("messages   by_neighbour: the machine map has no times of messages"));
}

TEST(MessageRanking, IsExplained) {
  MessageRanking ranking;
  ranking.candidates = {{Messages::by_node, 5.2e-4}, {Messages::by_neighbour, 1.94e-3}};
  ranking.chosen = Messages::by_node;
  EXPECT_EQ(
      explain_messages(ranking),
      "messages   by_node: predicted for an exchange by_node 520 us, by_neighbour 1.94 ms; another than by_neighbour "
      "is chosen where that is 1.25 times as fast\n");
}

TEST(Explain, HasNoTrafficOfAStepWhereEachStepHasItsExchange) {
  Plan plan = plan_of({});
  const auto routes = assumed_routes(plan, routing::Policy::parse("self,direct,mpi_staged"), false);
  EXPECT_THAT(explain(plan, routes), testing::Not(HasSubstr("a step, as one exchange serves")));
  plan.steps_per_exchange = 2;
  EXPECT_THAT(explain(plan, routes), HasSubstr("a step, as one exchange serves 2"));
}

/// Eight subdomains in a row on nodes with four, two and two devices. The first node has the most messages, but only one to another
/// node; the second one has four.
TEST(MessageRanking, PredictsTheNodeWithTheMostMessagesToOthers) {
  PlanRequest request;
  request.extent = {128, 16, 16};
  request.partition = partition::Method::given;
  request.device_grid = Vec3{8, 1, 1};
  request.stencil = Stencil::star(1);
  request.boundaries = {Boundary::open, Boundary::open, Boundary::open};
  request.fields = {{.name = "u", .element = Element::f64}};
  request.machine = machine::synthetic({.nodes = 3, .devices_per_node = 4, .ranks_per_node = 4});
  request.machine.software = {.mpi_latency = 1e-6, .mpi_overhead = 50e-6};
  std::erase_if(request.machine.ranks, [](const machine::RankEntry& rank) {
    return rank.node != node_id(0) && rank.devices.front().index() >= 2;
  });
  for (const std::int64_t rank : {0, 1, 2, 3, 4, 6, 5, 7}) request.placement.owners.push_back({rank_id(rank), 0});
  const Plan plan = make_plan(request);
  const routing::Policy policy = routing::Policy::parse("self,direct,mpi_staged");
  EXPECT_GT(predicted_exchange(plan, policy, false, Messages::by_neighbour), 150e-6)
      << "one message out and one in take 108 us";
}

TEST(MessageRanking, PredictsNothingDifferentOnOneNode) {
  PlanRequest request;
  request.extent = Vec3::filled(32);
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u", .element = Element::f64}};
  request.machine = machine::synthetic({.nodes = 1, .devices_per_node = 4, .ranks_per_node = 4});
  request.machine.software = {.mpi_latency = 100e-6, .mpi_overhead = 50e-6};
  const MessageRanking ranking = ranking_of(make_plan(request), host);
  EXPECT_EQ(ranking.chosen, Messages::by_neighbour);
  EXPECT_EQ(ranking.candidates.front().seconds, ranking.candidates.back().seconds);
}

}  // namespace
}  // namespace halocline

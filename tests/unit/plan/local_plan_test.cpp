// SPDX-License-Identifier: BSD-3-Clause
#include "plan/local_plan.hpp"
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "support/random_machine.hpp"
#include "support/seeded.hpp"

namespace halocline {
namespace {

using Key = std::pair<subdomain_id, subdomain_id>;

/// Nodes with equal numbers of devices, with ranks that are not in the order of nodes; every fourth machine has unequal
/// nodes.
machine::MachineMap machine_for(test::Seeded& random, std::uint64_t seed) {
  machine::MachineMap map = test::random_machine(seed);
  map.ranks.clear();
  int least = 100;
  for (const auto& node : map.nodes)
    least = std::min(least, map.types[static_cast<std::size_t>(node.type)].device_count());
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    const int all = map.types[static_cast<std::size_t>(map.nodes[n].type)].device_count();
    const int used = seed % 4 == 0 ? all : least;
    machine::RankEntry rank{node_id(static_cast<std::int64_t>(n)), {}};
    for (int d = 0; d < used; ++d) {
      rank.devices.emplace_back(all - 1 - d);
      if (!random.chance(50) && d + 1 < used) continue;
      map.ranks.push_back(rank);
      rank.devices.clear();
    }
  }
  for (std::size_t i = map.ranks.size(); i > 1; --i) {
    std::swap(map.ranks[i - 1],
              map.ranks[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return map;
}

PlanRequest request_for(test::Seeded& random, std::uint64_t seed) {
  PlanRequest request;
  request.machine = machine_for(random, seed);
  // With radius 0 on one side, a subdomain sends to a neighbour that sends nothing back.
  Vec3 lower;
  Vec3 upper;
  for (int dim = 0; dim < 3; ++dim) {
    lower[dim] = random.between(0, 2);
    upper[dim] = random.between(0, 2);
    request.extent[dim] = random.between(90, 140);
    if (random.chance(30)) request.boundaries[static_cast<std::size_t>(dim)] = Boundary::open;
  }
  request.stencil = Stencil::per_side(lower, upper);
  request.fields.resize(static_cast<std::size_t>(random.between(1, 2)));
  request.fields[0].name = "u";
  request.fields.back().staggered[0] = random.chance(30);
  request.partition = random.chance(30) ? partition::Method::z_order : partition::Method::exact;
  constexpr std::array methods{placement::Method::automatic, placement::Method::craft, placement::Method::random,
                               placement::Method::trivial};
  request.placement.method = methods.at(static_cast<std::size_t>(random.between(0, 3)));
  // Placing by time takes long for each rank; see joint_test.cpp, too.
  if (request.placement.method == placement::Method::automatic && seed % 4 != 0) {
    request.placement.method = placement::Method::craft;
  }
  request.placement.seed = seed;
  request.steps_per_exchange = random.chance(20) ? 2 : 1;
  if (random.chance(30)) {
    std::size_t devices = 0;
    for (const auto& rank : request.machine.ranks) devices += rank.devices.size();
    for (std::size_t d = 0; d < devices; ++d) request.weights.push_back(static_cast<double>(random.between(1, 3)));
  }
  return request;
}

std::string text_of(const RoutedMessage& message) {
  return std::to_string(message.route.from.value()) + " -> " + std::to_string(message.route.to.value()) + " " +
         message.route.reason + " " + std::to_string(message.bytes) + " in " + std::to_string(message.messages);
}

std::vector<std::string> texts_of(std::span<const RoutedMessage> messages) {
  std::vector<std::string> texts;
  for (const auto& message : messages) texts.push_back(text_of(message));
  return texts;
}

TEST(LocalPlan, of_all_ranks_together_is_the_plan) {
  int of_several_nodes = 0;
  int of_unequal_nodes = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    test::Seeded random(seed);
    const PlanRequest request = request_for(random, seed);
    const Plan whole = make_plan(request);
    of_several_nodes += whole.geometry.partition.nodes() > 1 ? 1 : 0;
    of_unequal_nodes += whole.geometry.partition.nodes() == 1 && request.machine.nodes.size() > 1 ? 1 : 0;
    routing::Policy policy;
    if (random.chance(30)) policy = routing::Policy::parse("-direct");
    if (random.chance(30))
      policy.exceptions.push_back({subdomain_id(0), subdomain_id(1), routing::Transport::mpi_staged});
    const bool device_mpi = random.chance(50);
    std::vector<std::string> sent;
    std::vector<std::string> received;
    for (std::size_t r = 0; r < request.machine.ranks.size(); ++r) {
      const rank_id rank(static_cast<std::int64_t>(r));
      const LocalPlan part = make_local_plan(request, rank, policy, device_mpi);
      ASSERT_EQ(part.geometry.partition, whole.geometry.partition);
      ASSERT_EQ(part.mine, whole.placement.of_rank(rank));
      for (const auto& [subdomain, slot] : part.slots) ASSERT_EQ(slot, whole.placement.of(subdomain));
      for (const subdomain_id own : part.mine) ASSERT_TRUE(part.slots.contains(own));
      ASSERT_EQ(texts_of(part.outgoing), texts_of(assumed_routes(whole, policy, device_mpi, rank)));
      for (const auto& message : part.outgoing) {
        ASSERT_TRUE(part.slots.contains(message.route.to));
        sent.push_back(text_of(message));
      }
      for (const auto& message : part.incoming) {
        ASSERT_TRUE(part.slots.contains(message.route.from));
        ASSERT_EQ(whole.owner(message.route.to), rank);
        received.push_back(text_of(message));
      }
    }
    std::vector<std::string> all = texts_of(assumed_routes(whole, policy, device_mpi));
    for (auto* texts : {&sent, &received, &all}) std::ranges::sort(*texts);
    EXPECT_EQ(sent, all);
    EXPECT_EQ(received, all) << "what receivers expect is not what senders send";
  }
  EXPECT_GT(of_several_nodes, 50);
  EXPECT_GT(of_unequal_nodes, 10);
}

TEST(LocalPlan, looks_at_the_neighbourhood_only) {
  PlanRequest request;
  request.extent = Vec3::filled(3072);
  request.stencil = Stencil::box(3);
  request.fields.resize(1);
  request.machine = machine::synthetic({.nodes = 4608, .devices_per_node = 6, .ranks_per_node = 6});
  const LocalPlan part = make_local_plan(request, rank_id(12'345), {}, false);
  EXPECT_EQ(part.mine.size(), 1u);
  EXPECT_EQ(part.slots.size(), 27u);
  EXPECT_EQ(part.outgoing.size(), 26u);
  EXPECT_EQ(part.incoming.size(), 26u);
}

TEST(LocalPlan, refuses_a_rank_that_is_not_there) {
  PlanRequest request;
  request.extent = Vec3::filled(32);
  request.stencil = Stencil::box(1);
  request.machine = machine::synthetic({.nodes = 2});
  try {
    static_cast<void>(make_local_plan(request, rank_id(2), {}, false));
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "rank is 2; allowed for machine 'synthetic 2 x 1' are 0 to 1");
  }
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
// Moves of subdomains between nodes by the machine's network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <set>
#include <string>

#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "plan/local_plan.hpp"
#include "plan/plan.hpp"
#include "support/effort.hpp"
#include "support/unequal_case.hpp"

namespace halocline {
namespace {

using machine::MachineMap;
using testing::HasSubstr;
using Place = placement::Method;

/// Nodes of equal devices on one switch each, with ports of 25 GB/s.
MachineMap machine_of(std::int64_t nodes, std::int64_t devices, machine::Fabric::Shape shape) {
  MachineMap map = machine::synthetic({.nodes = nodes, .devices_per_node = devices, .ranks_per_node = devices});
  map.network.bandwidth = 25e9;
  map.network.fabric.shape = std::move(shape);
  return map;
}

machine::Torus torus(int x, int y, double bandwidth) {
  return {.nodes_per_router = 1, .dimensions = {{x, {bandwidth, 1e-7}}, {y, {bandwidth, 1e-7}}}};
}

/// Nodes get ports in another order, as a batch system may number them.
void shuffle_ports(MachineMap& map, test::Seeded& seeded) {
  std::vector<int> ports(map.nodes.size());
  std::iota(ports.begin(), ports.end(), 0);
  for (std::size_t n = ports.size(); n > 1; --n) {
    std::swap(ports[n - 1], ports[static_cast<std::size_t>(seeded.between(0, static_cast<std::int64_t>(n) - 1))]);
  }
  for (std::size_t n = 0; n < ports.size(); ++n) map.nodes[n].port = ports[n];
}

PlanRequest request_on(MachineMap map, const Vec3& extent) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(2);
  request.fields.resize(1);
  request.machine = std::move(map);
  return request;
}

Plan plan_by(PlanRequest request, Place method) {
  request.placement.method = method;
  return make_plan(request);
}

void expect_each_slot_once(const Plan& plan) {
  std::set<std::pair<std::int64_t, int>> slots;
  for (const placement::Slot& slot : plan.placement.slots) slots.insert({slot.rank.value(), slot.ordinal});
  EXPECT_EQ(slots.size(), plan.placement.slots.size());
  EXPECT_EQ(std::ssize(slots), plan.geometry.partition.size());
}

TEST(SystemPlacement, FindsTheOrderOfATorusWhosePortsAreShuffled) {
  test::Seeded seeded(3);
  PlanRequest request = request_on(machine_of(16, 1, torus(4, 4, 5e9)), {512, 512, 64});
  request.partition = partition::Method::given;
  request.node_grid = Vec3{4, 4, 1};
  const double by_hand = test::simulated_seconds(plan_by(request, Place::automatic));  // the grid is the torus
  shuffle_ports(request.machine, seeded);
  const Plan in_order = plan_by(request, Place::exact);
  const Plan plan = plan_by(request, Place::system);
  expect_each_slot_once(plan);
  EXPECT_EQ(plan.placement_method, Place::system);
  ASSERT_TRUE(plan.moves);
  EXPECT_TRUE(plan.moves->simulated);
  EXPECT_EQ(plan.moves->why_not, "");
  const double before = test::simulated_seconds(plan_by(request, Place::automatic));
  const double now = test::simulated_seconds(plan);
  EXPECT_NEAR(1e-12 * static_cast<double>(*plan.moves->before), before, 1e-9);
  EXPECT_NEAR(1e-12 * static_cast<double>(plan.moves->now), now, 1e-9);
  EXPECT_LT(now, 0.6 * test::simulated_seconds(in_order));
  EXPECT_LE(now, 1.02 * by_hand);
  EXPECT_THAT(explain_placement(plan), HasSubstr("by system: simulated "));
  EXPECT_THAT(explain_placement(plan), HasSubstr(" us an exchange; without moves between nodes "));
}

machine::Fabric::Shape random_shape(test::Seeded& seeded, std::int64_t& nodes) {
  const auto rate = [&] { return machine::LinkRate{test::rate_of(seeded) / 2, 1e-7}; };
  switch (seeded.between(0, 2)) {
    case 0: {
      const auto x = static_cast<int>(seeded.between(2, 4));
      const auto y = static_cast<int>(seeded.between(1, 4));
      nodes = std::int64_t{x} * y;
      return machine::Torus{1, {{x, rate()}, {y, rate()}}};
    }
    case 1: {
      machine::Dragonfly fly{
          2, static_cast<int>(seeded.between(1, 2)), static_cast<int>(seeded.between(2, 4)), 1, rate(), rate()};
      nodes = std::int64_t{2} * fly.routers_per_group * fly.groups;
      return fly;
    }
    default: {
      const auto below = static_cast<int>(seeded.between(2, 4));
      nodes = std::int64_t{2} * below;
      return machine::FatTree{{{below, rate()}, {2, rate()}}};
    }
  }
}

TEST(SystemPlacement, IsNeverSlowerOnRandomNetworks) {
  const int cases = test::some_of(60);
  int by_a_tenth = 0;
  for (int seed = 0; seed < cases; ++seed) {
    test::Seeded seeded(static_cast<std::uint64_t>(seed));
    std::int64_t nodes = 0;
    const machine::Fabric::Shape shape = random_shape(seeded, nodes);
    MachineMap map = machine_of(nodes, seeded.between(1, 2), shape);
    if (seeded.chance(70)) shuffle_ports(map, seeded);
    PlanRequest request = request_on(std::move(map), {});
    for (int dim = 0; dim < 3; ++dim) {
      request.extent[dim] = 16 * seeded.between(4, 16);
      if (seeded.chance(50)) request.boundaries[static_cast<std::size_t>(dim)] = Boundary::open;
    }
    const Plan before = plan_by(request, Place::automatic);
    const Plan now = plan_by(request, Place::system);
    expect_each_slot_once(now);
    const double gain = 1 - test::simulated_seconds(now) / test::simulated_seconds(before);
    ASSERT_GE(gain, now.moves->why_not.empty() ? 1.0 / 64 : 0) << "seed " << seed;
    if (test::simulated_seconds(now) < 0.9 * test::simulated_seconds(test::exact_and_qap(request))) ++by_a_tenth;
    if (now.moves->why_not.empty()) continue;
    EXPECT_TRUE(now.geometry.partition == before.geometry.partition);
    EXPECT_EQ(now.placement.slots, before.placement.slots);
  }
  EXPECT_GT(3 * by_a_tenth, cases);
}

// Titan's torus has half as much bandwidth in y, and two nodes a router: long parts suit it, and not the cubes with the fewest halo cells.
PlanRequest request_on_titan(std::size_t nodes) {
  PlanRequest request =
      request_on(io::read_machine_file(std::string(HALOCLINE_MACHINES "/titan.json")), {512, 512, 512});
  request.stencil = Stencil::box(1);
  request.machine.nodes.resize(nodes);
  machine::assign_ranks(request.machine, 1);
  return request;
}

TEST(SystemPlacement, ChoosesTheGridWithTheMoves) {
  const Plan plan = plan_by(request_on_titan(12), Place::system);
  expect_each_slot_once(plan);
  EXPECT_EQ(plan.placement_method, Place::system);
  EXPECT_EQ(plan.partition, partition::Method::fastest);
  EXPECT_EQ(plan.partition_reason, "chosen with the moves between nodes");
  EXPECT_NEAR(1e-12 * static_cast<double>(plan.moves->now), test::simulated_seconds(plan), 1e-9);
  EXPECT_LT(100 * plan.moves->now, 95 * *plan.moves->before);
}

TEST(SystemPlacement, KeepsAGridThatIsAskedFor) {
  PlanRequest request = request_on_titan(12);
  const Vec3 chosen = plan_by(request, Place::system).geometry.partition.grid();
  request.partition = partition::Method::exact;
  const Vec3 asked_for = plan_by(request, Place::automatic).geometry.partition.grid();
  EXPECT_EQ(plan_by(request, Place::system).geometry.partition.grid(), asked_for);
  EXPECT_NE(chosen, asked_for) << "or this test shows nothing";
}

// Messages within a rack do not take the network, so racks are what must hold neighbours.
TEST(SystemPlacement, KeepsNeighboursInOneLoadStoreDomain) {
  PlanRequest request =
      request_on(io::read_machine_file(std::string(HALOCLINE_MACHINES "/gb200-nvl72.json")), {1024, 256, 256});
  MachineMap& map = request.machine;
  map.nodes.resize(8);
  for (std::size_t n = 0; n < 8; ++n) map.nodes[n].rack = static_cast<int>(n % 2);
  machine::assign_ranks(map, 4);
  request.boundaries = {Boundary::open, Boundary::open, Boundary::open};
  request.partition = partition::Method::given;
  request.node_grid = Vec3{8, 1, 1};
  const auto bytes_between_racks = [&](const Plan& plan) {
    std::int64_t bytes = 0;
    for (const RoutedMessage& message : assumed_routes(plan, {}, false)) {
      const placement::Slot& from = plan.placement.of(message.route.from);
      const placement::Slot& to = plan.placement.of(message.route.to);
      if (!map.share_load_store(from.node, from.device, to.node, to.device)) bytes += message.bytes;
    }
    return bytes;
  };
  const Plan plan = plan_by(request, Place::system);
  expect_each_slot_once(plan);
  EXPECT_EQ(plan.placement_method, Place::system);
  EXPECT_LT(3 * bytes_between_racks(plan), bytes_between_racks(plan_by(request, Place::automatic)));
}

// A grid of nodes across the long dimension: four faces between nodes, each twice as large as the two that suffice.
TEST(SystemPlacement, ExchangesSingleSubdomains) {
  PlanRequest request = request_on(machine_of(2, 4, machine::Crossbar{}), {64, 64, 512});
  request.boundaries = {Boundary::open, Boundary::open, Boundary::open};
  request.partition = partition::Method::given;
  request.node_grid = Vec3{1, 2, 1};
  request.device_grid = Vec3{1, 1, 4};
  const Plan plan = plan_by(request, Place::system);
  expect_each_slot_once(plan);
  EXPECT_EQ(plan.placement_method, Place::system);
  std::set<std::int64_t> lower;  // the nodes of the half with small z
  for (std::int64_t s = 0; s < 8; ++s) {
    const Box box = plan.geometry.partition.box_of(subdomain_id(s));
    if (box.lo.z < 256) lower.insert(plan.placement.of(subdomain_id(s)).node.value());
  }
  EXPECT_EQ(lower.size(), 1u);
  EXPECT_LT(test::simulated_seconds(plan), 0.5 * test::simulated_seconds(plan_by(request, Place::automatic)));
}

TEST(SystemPlacement, GivesTheReasonWhereNothingMoves) {
  const auto text_of = [](const PlanRequest& request) {
    const Plan plan = plan_by(request, Place::system);
    EXPECT_NE(plan.placement_method, Place::system);
    EXPECT_EQ(plan.placement.slots, plan_by(request, Place::automatic).placement.slots);
    return explain_placement(plan);
  };
  PlanRequest request = request_on(machine_of(1, 4, machine::Crossbar{}), {64, 64, 64});
  EXPECT_THAT(text_of(request), HasSubstr("; subdomains keep their nodes: all ranks are on one node\n"));

  request = request_on(machine_of(4'097, 1, torus(64, 65, 5e9)), {4'097, 64, 64});
  EXPECT_THAT(text_of(request), HasSubstr("keep their nodes: there are 4097 devices, more than 4096\n"));

  request = request_on(machine_of(4, 1, machine::Crossbar{}), {64, 64, 64});
  EXPECT_THAT(text_of(request), HasSubstr("; subdomains keep their nodes: nothing faster was found than simulated "));
  request.weights = {1, 2, 1, 2};
  EXPECT_THAT(text_of(request), HasSubstr("keep their nodes: cells are cut in proportion to devices' speeds\n"));
  request.weights.clear();
  request.speeds = {1, 2, 1, 2};
  EXPECT_THAT(text_of(request), HasSubstr("keep their nodes: cells are cut in proportion to devices' speeds\n"));
  request.speeds.clear();

  for (int r = 3; r >= 0; --r) request.placement.owners.push_back({rank_id(r), 0});
  EXPECT_THAT(text_of(request), HasSubstr("with the given owners; subdomains keep their nodes: owners are given\n"));
  request.placement.owners.clear();

  request.machine.types[0].links.clear();
  EXPECT_THAT(text_of(request), HasSubstr("keep their nodes: node type '1 devices, one switch' has no path "));
}

TEST(SystemPlacement, IsTheSameInALocalPlan) {
  test::Seeded seeded(5);
  PlanRequest request = request_on(machine_of(9, 2, torus(3, 3, 5e9)), {180, 180, 60});
  shuffle_ports(request.machine, seeded);
  request.placement.method = Place::system;
  const Plan plan = make_plan(request);
  ASSERT_EQ(plan.placement_method, Place::system);
  for (const std::int64_t rank : {0, 7, 17}) {
    const LocalPlan local = make_local_plan(request, rank_id(rank), {}, false);
    EXPECT_EQ(local.mine, plan.placement.of_rank(rank_id(rank)));
    for (const auto& [subdomain, slot] : local.slots) EXPECT_EQ(slot, plan.placement.of(subdomain));
  }
}

// Beyond 64 devices bounds decide; what they promise must come true.
TEST(SystemPlacement, GainsOnLargerMachinesToo) {
  test::Seeded seeded(7);
  PlanRequest request = request_on(machine_of(36, 2, torus(6, 6, 5e9)), {768, 768, 128});
  shuffle_ports(request.machine, seeded);
  const Plan plan = plan_by(request, Place::system);
  expect_each_slot_once(plan);
  EXPECT_EQ(plan.placement_method, Place::system);
  EXPECT_FALSE(plan.moves->simulated);
  EXPECT_THAT(explain_placement(plan), HasSubstr("by system: busiest link or slowest message "));
  EXPECT_LT(static_cast<double>(plan.moves->now), 0.7 * static_cast<double>(*plan.moves->before));
  const double before = test::simulated_seconds(plan_by(request, Place::automatic));
  EXPECT_LT(test::simulated_seconds(plan), 0.7 * before);
}

// By simulation, by bounds, and with more nodes than map looks at in pairs.
TEST(SystemPlacement, Plans1536DevicesInFiveSeconds) {
  HALOCLINE_IS_LARGE();
  struct Shape {
    int nodes, devices, x, y;
  };
  for (const auto& [nodes, devices, x, y] : {Shape{64, 1, 8, 8}, {256, 6, 16, 16}, {1536, 1, 32, 48}}) {
    test::Seeded seeded(9);
    PlanRequest request = request_on(machine_of(nodes, devices, torus(x, y, 5e9)), {4096, 4096, 2048});
    shuffle_ports(request.machine, seeded);
    const std::clock_t begin = std::clock();
    const Plan plan = plan_by(request, Place::system);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 5 * test::planning_patience);
    expect_each_slot_once(plan);
    EXPECT_LT(plan.moves->now, *plan.moves->before * 7 / 10);
  }
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
// Grids by the links between the switches of a network, on machines of more than 64 devices.
#include <gtest/gtest.h>

#include <string>

#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "plan/detail/node_network.hpp"
#include "plan/plan.hpp"
#include "support/unequal_case.hpp"

namespace halocline {
namespace {

using machine::MachineMap;
using partition::Method;

PlanRequest request_for(MachineMap map, const Vec3& extent, std::int64_t ranks_per_node) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(1);
  request.fields.resize(1);
  request.machine = std::move(map);
  machine::assign_ranks(request.machine, ranks_per_node);
  return request;
}

MachineMap first_nodes(const std::string& file, std::size_t nodes) {
  MachineMap map = io::read_machine_file(std::string(HALOCLINE_MACHINES "/") + file + ".json");
  map.nodes.resize(nodes);
  return map;
}

/// Nodes of one device with a port of 10 GB/s, two on each of the routers, which are joined by links of 1 GB/s.
MachineMap routers(int count) {
  MachineMap map = machine::synthetic({.nodes = 2 * count, .devices_per_node = 1});
  map.network = {10e9, 1e-6, {}};
  map.network.fabric.shape = machine::Dragonfly{
      .nodes_per_router = 2, .routers_per_group = count, .groups = 1, .local = {1e9, 1e-7}, .global = {1e9, 1e-7}};
  for (std::size_t n = 0; n < map.nodes.size(); ++n) map.nodes[n].port = static_cast<int>(n);
  return map;
}

// 14 nodes are on one router, 13 on the next one. In slabs along x two pairs of nodes send over the link between them, in 9 x 3 x 1 many.
TEST(PlanOnANetwork, CutsIntoSlabsWhereFewCrossTheLinkBetweenRouters) {
  const PlanRequest request = request_for(first_nodes("gh200-quad", 27), {1000, 300, 200}, 4);
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.partition, Method::fastest);
  EXPECT_EQ(plan.geometry.partition.node_grid(), (Vec3{27, 1, 1}));
  const Plan exact = test::exact_and_qap(request);
  EXPECT_EQ(exact.geometry.partition.node_grid(), (Vec3{9, 3, 1}));
  EXPECT_NEAR(test::simulated_seconds(plan), 12.2e-6, 0.1e-6);
  EXPECT_NEAR(test::simulated_seconds(exact), 25.7e-6, 0.1e-6);
}

// All staged messages of a node leave it by one card, so one of four rails carries them all.
TEST(PlanOnANetwork, CountsTheRailsThatMessagesTake) {
  const PlanRequest request = request_for(first_nodes("frontier", 27), {1000, 300, 200}, 8);
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.geometry.partition.node_grid(), (Vec3{27, 1, 1}));
  EXPECT_NEAR(test::simulated_seconds(plan), 41.5e-6, 0.1e-6);
  EXPECT_NEAR(test::simulated_seconds(test::exact_and_qap(request)), 87.7e-6, 0.1e-6);
}

// A section has the same node several times.
TEST(PlanOnANetwork, PlansNodesWhosePortsAreGiven) {
  MachineMap map = first_nodes("frontier", 27);
  for (std::size_t n = 0; n < map.nodes.size(); ++n) map.nodes[n].port = static_cast<int>(n);
  const Plan plan = make_plan(request_for(std::move(map), {1000, 300, 200}, 8));
  EXPECT_EQ(plan.geometry.partition.node_grid(), (Vec3{27, 1, 1}));
}

TEST(PlanOnANetwork, TakesATorusWithTheNodesInTheirOrder) {
  const PlanRequest request = request_for(first_nodes("titan", 72), {1200, 400, 600}, 1);
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.geometry.partition.node_grid(), (Vec3{24, 1, 3}));
  EXPECT_LT(test::simulated_seconds(plan), 0.8 * test::simulated_seconds(test::exact_and_qap(request)));
}

TEST(PlanOnANetwork, KeepsTheLeastHaloWhereTheNodesPortsAreTheBottleneck) {
  const Plan plan = make_plan(request_for(first_nodes("puhti", 27), {1000, 300, 200}, 4));
  EXPECT_EQ(plan.partition, Method::exact);
  EXPECT_FALSE(plan.judged);
}

// Four nodes in a row, each with a cube of 10^3 cells of 4 bytes, periodic in x alone: each sends a face of 400 bytes to both sides.
TEST(NetworkLoad, IsWhatTheBusiestPortAndTheBusiestLinkCarry) {
  PlanRequest request = request_for(routers(2), {40, 10, 10}, 1);
  request.boundaries = {Boundary::periodic, Boundary::open, Boundary::open};
  request.partition = Method::given;
  request.node_grid = Vec3{4, 1, 1};
  request.device_grid = Vec3{1, 1, 1};
  const auto parts = make_plan(request).geometry.partition;
  NetworkLoad load(request.machine, placement::slots_of(request.machine), 1);
  const auto busiest = load.busiest(request, parts);
  ASSERT_TRUE(busiest);
  EXPECT_DOUBLE_EQ(busiest->port, 800 / 10e9);
  EXPECT_DOUBLE_EQ(busiest->link, 800 / 1e9) << "node 1 to 2, and node 0 to 3 around the end";
}

TEST(NetworkLoad, IsLargerWhereOneOfTwoRailsCarriesAll) {
  PlanRequest request = request_for(routers(2), {40, 10, 10}, 1);
  machine::NodeType& type = request.machine.types[0];
  type.vertices.push_back({.kind = machine::VertexKind::nic, .name = "second card"});
  type.links.push_back({static_cast<int>(type.vertices.size()) - 1, 0, machine::LinkKind::pcie, 10e9, 0});
  request.machine.network.fabric.rails = 2;
  const auto parts = make_plan(request).geometry.partition;
  const auto slots = placement::slots_of(request.machine);
  const auto equally = NetworkLoad(request.machine, slots, 0.5).busiest(request, parts);
  const auto by_one = NetworkLoad(request.machine, slots, 1).busiest(request, parts);
  ASSERT_TRUE(equally && by_one);
  EXPECT_DOUBLE_EQ(by_one->link, 2 * equally->link);
  EXPECT_DOUBLE_EQ(by_one->port, 2 * equally->port);
}

// Each grid of nodes takes 26 messages a node of the effort, those that were asked for before take nothing.
TEST(NetworkLoad, EndsWithItsEffort) {
  const PlanRequest request = request_for(routers(1260), {2520, 2520, 2520}, 1);
  NetworkLoad load(request.machine, placement::slots_of(request.machine), 1);
  const auto grid = [](std::int64_t x) { return Vec3{x, 2520 / x, 1}; };
  const auto known = [&](std::int64_t x) {
    PlanRequest given = request;
    given.partition = Method::given;
    given.node_grid = grid(x);
    given.device_grid = Vec3{1, 1, 1};
    given.placement.method = placement::Method::exact;
    return load
        .busiest(given, partition::make_partition({.extent = given.extent,
                                                   .halo = halo_width(given.stencil, given.stencil, 1),
                                                   .nodes = 2520,
                                                   .devices_per_node = 1,
                                                   .method = Method::given,
                                                   .node_grid = given.node_grid,
                                                   .device_grid = given.device_grid}))
        .has_value();
  };
  int answered = 0;
  for (const std::int64_t x : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21, 24}) answered += known(x) ? 1 : 0;
  EXPECT_EQ(answered, 15) << "1,000,000 messages";
  EXPECT_TRUE(known(1));
  EXPECT_FALSE(known(24));
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
// The grid by default where exchange times are predicted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "io/json.hpp"
#include "plan/plan.hpp"

namespace halocline {
namespace {

using partition::Method;
using testing::HasSubstr;

/// Four fp32 fields on GPUs of one node, joined by NVLink.
PlanRequest on_gpus(std::int64_t gpus, const Vec3& extent, std::int64_t radius) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(radius);
  for (const char* const name : {"a", "b", "c", "d"}) {
    request.fields.emplace_back();
    request.fields.back().name = name;
    request.fields.back().element = Element::f32;
  }
  request.machine = io::read_machine_file(HALOCLINE_MACHINES "/dgx-h200.json");
  request.machine.nodes.resize(1);
  request.machine.ranks.clear();
  for (std::int64_t gpu = 0; gpu < gpus; ++gpu)
    request.machine.ranks.push_back({node_id(0), {device_id(static_cast<int>(gpu))}});
  return request;
}

Plan exact(PlanRequest request) {
  request.partition = Method::exact;
  return make_plan(request);
}

struct Measured {
  Vec3 extent;
  std::int64_t radius;
  Vec3 by_exact;
  Vec3 fastest;
};

// The grids that took least on two H100: bench/results/2026-11-26-2x-h100-grids/grids.txt.
TEST(PredictedGrid, IsTheOneThatWasFastestOnTwoGpus) {
  for (const auto& [extent, radius, by_exact, fastest] :
       {Measured{{600, 512, 512}, 3, {2, 1, 1}, {1, 1, 2}}, Measured{{600, 512, 512}, 1, {2, 1, 1}, {1, 1, 2}},
        Measured{{512, 256, 256}, 1, {2, 1, 1}, {1, 1, 2}}, Measured{{1024, 512, 512}, 1, {2, 1, 1}, {1, 1, 2}},
        Measured{{512, 512, 1024}, 3, {1, 1, 2}, {1, 1, 2}}}) {
    const PlanRequest request = on_gpus(2, extent, radius);
    EXPECT_EQ(exact(request).geometry.partition.device_grid(), by_exact) << to_string(extent);
    const Plan plan = make_plan(request);
    EXPECT_EQ(plan.geometry.partition.device_grid(), fastest) << to_string(extent);
    EXPECT_EQ(plan.partition, by_exact == fastest ? Method::exact : Method::fastest) << to_string(extent);
    EXPECT_THAT(plan.partition_reason, HasSubstr("rates of two H200, as none were measured here")) << to_string(extent);
  }
}

// Measured on four H200: bench/results/2026-11-27-4x-h200-grids/grids.txt.
TEST(PredictedGrid, HasFewerMessagesWhereItTakesAsLong) {
  for (const std::int64_t radius : {1, 3}) {
    const PlanRequest cube = on_gpus(4, {512, 512, 512}, radius);
    EXPECT_EQ(exact(cube).geometry.partition.device_grid(), Vec3(1, 2, 2)) << radius;
    const Plan plan = make_plan(cube);
    EXPECT_EQ(plan.geometry.partition.device_grid(), Vec3(1, 1, 4)) << radius;
    EXPECT_THAT(plan.partition_reason, HasSubstr("as fast as the grid of exact, with fewer messages")) << radius;
  }
  // Eight slabs send a third more.
  EXPECT_EQ(make_plan(on_gpus(8, {256, 1024, 1024}, 3)).geometry.partition.device_grid(), Vec3(1, 2, 4));
}

// `fastest` cuts 400 cells otherwise, so that is not what chose the grid.
TEST(PredictedGrid, IsOfAutomaticWhereMessagesDecide) {
  PlanRequest cube = on_gpus(4, {400, 400, 400}, 1);
  cube.fields.resize(1);
  cube.fields[0].element = Element::f64;
  const Plan plan = make_plan(cube);
  EXPECT_EQ(plan.partition, Method::automatic);
  PlanRequest gridded = cube;
  gridded.partition = Method::given;
  gridded.device_grid = {1, 2, 2};
  for (const PlanRequest& request : {cube, gridded}) {
    for (const Candidate& one : candidates(request).list) {
      const bool is_it = one.partition == plan.geometry.partition;
      EXPECT_EQ(std::ranges::count(one.methods, Method::automatic), is_it ? 1 : 0);
    }
  }
  cube.partition = Method::fastest;
  EXPECT_NE(make_plan(cube).geometry.partition.grid(), plan.geometry.partition.grid());
}

// Cut as one node of 12 devices, of which five are behind the network.
TEST(PredictedGrid, IsSimulatedWhereNodesHoldUnequalNumbers) {
  PlanRequest request = on_gpus(7, {96, 96, 96}, 1);
  request.machine.nodes.push_back(request.machine.nodes.front());
  for (int gpu = 0; gpu < 5; ++gpu) request.machine.ranks.push_back({node_id(1), {device_id(gpu)}});
  request.partition = Method::fastest;
  const Plan plan = make_plan(request);
  EXPECT_THAT(plan.partition_reason, HasSubstr("by simulation"));
  EXPECT_EQ(plan.placement_method, placement::Method::fastest);
  const Candidates found = candidates(request);
  EXPECT_TRUE(found.together);
  for (const Candidate& one : found.list) EXPECT_GT(one.traffic.off_node, 0);
  request.partition = Method::automatic;
  EXPECT_THAT(make_plan(request).partition_reason, testing::Not(HasSubstr("predicted")));
}

TEST(PredictedGrid, LeavesTheOneOfExactOnlyWhereItIsWorthIt) {
  const PlanRequest flat = on_gpus(8, {1024, 1024, 512}, 3);
  EXPECT_EQ(exact(flat).geometry.partition.device_grid(), Vec3(2, 2, 2));
  const Plan plan = make_plan(flat);
  EXPECT_EQ(plan.geometry.partition.device_grid(), Vec3(2, 4, 1));
  EXPECT_THAT(plan.partition_reason, HasSubstr("us with the grid of exact"));

  PlanRequest alike = on_gpus(8, {512, 512, 512}, 1);  // predicted 5 % apart
  const Plan kept = make_plan(alike);
  EXPECT_EQ(kept.partition, Method::exact);
  EXPECT_EQ(kept.geometry.partition.device_grid(), exact(alike).geometry.partition.device_grid());
  alike.partition = Method::fastest;
  EXPECT_NE(make_plan(alike).geometry.partition.device_grid(), kept.geometry.partition.device_grid()) << "asked for";
}

TEST(PredictedGrid, IsTheOneOfExactWhereRatesDoNotTell) {
  const PlanRequest request = on_gpus(2, {600, 512, 512}, 3);
  const Vec3 by_exact(2, 1, 1);
  ASSERT_NE(make_plan(request).geometry.partition.device_grid(), by_exact);

  PlanRequest staged = request;
  staged.policy = routing::Policy::parse("-direct");
  EXPECT_EQ(make_plan(staged).geometry.partition.device_grid(), by_exact) << "rates are of direct";
  PlanRequest paper = request;
  paper.ties = partition::Ties::paper;
  EXPECT_EQ(make_plan(paper).geometry.partition.device_grid(), by_exact) << "asks for the grids of a paper";
  PlanRequest weighted = request;
  weighted.weights = {1, 2};
  EXPECT_EQ(make_plan(weighted).geometry.partition.device_grid(), by_exact);
  PlanRequest owned = request;
  owned.placement.owners = {{rank_id(0), 0}, {rank_id(1), 0}};
  EXPECT_EQ(make_plan(owned).geometry.partition.device_grid(), by_exact) << "owners are of this grid's subdomains";
  PlanRequest by_pcie = request;
  for (machine::Link& link : by_pcie.machine.types.front().links) {
    if (link.kind == machine::LinkKind::nvlink) link.kind = machine::LinkKind::pcie;
  }
  EXPECT_EQ(make_plan(by_pcie).geometry.partition.device_grid(), by_exact);
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "placement/node_placer.hpp"
#include "partition/halo.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"
#include "halocline/error.hpp"
#include "partition/strategy.hpp"

namespace halocline::placement {
namespace {

/// 9 nodes of 4 along x, of unequal thickness, so that node parts are of several kinds.
partition::Geometry geometry_for(const Vec3& extent) {
  const partition::Request request{.extent = extent,
                                   .halo = Stencil::box(2),
                                   .nodes = 9,
                                   .devices_per_node = 4,
                                   .method = partition::Method::given,
                                   .node_grid = Vec3{9, 1, 1},
                                   .device_grid = Vec3{1, 2, 2},
                                   .boundaries = {Boundary::open, Boundary::periodic, Boundary::open}};
  return {partition::make_partition(request), {FieldDescriptor{}}, Stencil::box(2), request.boundaries};
}

/// Four devices: one bandwidth, two latencies.
machine::MachineMap map_of_nine_nodes() {
  machine::NodeType type = node_of_groups(4, 2, 50, 50);
  for (auto& measured : type.measurements) measured.latency = measured.from / 2 == measured.to / 2 ? 1e-6 : 9e-6;
  return machine_of(type, 9, 4, 4);
}

// The mean over one node part of each kind must equal the mean over all node parts.
TEST(NodePlacer, TakesTheMeanMessageOfAllNodes) {
  const partition::Geometry geometry = geometry_for({100, 64, 64});
  const machine::MachineMap map = map_of_nine_nodes();
  double bytes = 0;
  double messages = 0;
  std::int64_t largest = 0;
  for (std::int64_t s = 0; s < 36; ++s) {
    for (const auto& flow : partition::outgoing_flows(geometry, subdomain_id(s))) {
      if (flow.to.value() / 4 != s / 4) continue;
      bytes += static_cast<double>(flow.bytes);
      messages += 1;
      largest = std::max(largest, flow.bytes);
    }
  }
  const double mean = bytes / messages;
  const double near = 1 / 50e9 + 1e-6 / mean;
  const double far = 1 / 50e9 + 9e-6 / mean;
  const NodePlacer placer(geometry, map, {});
  for (std::int64_t part = 0; part < 9; ++part) {
    const Assignment problem = placer.problem_of(part);
    EXPECT_EQ(problem.distance[3], 1 << 20);
    EXPECT_NEAR(static_cast<double>(problem.distance[1]), near / far * (1 << 20), 1);
    for (std::int64_t i = 0; i < 4; ++i) {
      for (const auto& flow : partition::outgoing_flows(geometry, subdomain_id(part * 4 + i))) {
        const std::int64_t j = flow.to.value() - part * 4;
        if (j < 0 || j > 3) continue;
        EXPECT_NEAR(static_cast<double>(problem.flow[static_cast<std::size_t>(i * 4 + j)]),
                    static_cast<double>(flow.bytes) / static_cast<double>(largest) * (1 << 20), 1);
      }
    }
  }
}

TEST(NodePlacer, HasNoProblemOfANodeWhereNodesAreUnequal) {
  machine::MachineMap map = machine_of(node_of_groups(2, 2, 50, 50), 2, 2, 2);
  map.ranks.pop_back();
  const partition::Request request{.extent = {30, 8, 8}, .halo = Stencil::box(1), .devices_per_node = 3};
  const partition::Geometry geometry{
      partition::make_partition(request), {FieldDescriptor{}}, Stencil::box(1), all_periodic};
  NodePlacer placer(geometry, map, {});
  EXPECT_EQ(placer.of_rank(rank_id(2)), std::vector{subdomain_id(2)});
  EXPECT_EQ(placer.cost_of(0).placed, 0);
  EXPECT_THROW(static_cast<void>(placer.problem_of(0)), InvalidArgument);
}

}  // namespace
}  // namespace halocline::placement

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "fake_machine.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"
#include "placement/placement.hpp"

namespace halocline::placement {
namespace {

// Pearson et al. ran on 256 nodes of six. The planning time is recorded with the test, not asserted.
TEST(Scale, PlansFor1536Devices) {
  const auto begin = std::chrono::steady_clock::now();
  const machine::MachineMap map = machine_of(node_of_groups(6, 3, 50, 32), 256, 6, 6);
  partition::Request request{.extent = {9143, 9143, 9143}, .halo = Stencil::box(3), .nodes = 256};
  request.devices_per_node = 6;
  const std::vector<FieldDescriptor> fields(4);
  const partition::Geometry g{partition::make_partition(request), fields, Stencil::box(3), all_periodic};
  partition::check_fits(g);
  const Placement p = make_placement(g, map, {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));

  EXPECT_EQ(g.partition.size(), 1536);
  EXPECT_LE(p.cost, p.trivial_cost);
  std::set<std::pair<rank_id, int>> taken;
  std::int64_t cells = 0;
  for (std::int64_t s = 0; s < 1536; ++s) {
    cells += g.partition.box_of(subdomain_id(s)).volume();
    EXPECT_EQ(p.of(subdomain_id(s)).node.value(), s / 6);
    EXPECT_TRUE(taken.emplace(p.of(subdomain_id(s)).rank, p.of(subdomain_id(s)).ordinal).second);
  }
  EXPECT_EQ(cells, request.extent.volume());
}

}  // namespace
}  // namespace halocline::placement

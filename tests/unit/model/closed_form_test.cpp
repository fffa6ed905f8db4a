// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "model/closed_form.hpp"

namespace halocline::model {
namespace {

using testing::HasSubstr;

constexpr double nano = 1e-9;

ClosedFormCase cube_of(std::int64_t n) { return {{n, n, n}, {4, 2, 2}, {2, 2, 1}, 3}; }

/// Astaroth on Puhti, section 5.1 of the paper: 2.2 ns an update and 3.9 ns a cell.
ClosedFormConstants puhti() {
  ClosedFormConstants constants;
  constants.seconds_per_update = 2.2 * nano;
  constants.between_nodes.seconds_per_cell = 3.9 * nano;
  return constants;
}

double node_efficiency(std::int64_t n) { return 100 * closed_form_of_node(cube_of(n), puhti()).efficiency(); }

TEST(ClosedForm, HasThePapersEfficiencies) {
  EXPECT_NEAR(node_efficiency(256), 35.5, 0.05);
  EXPECT_NEAR(node_efficiency(512), 73.1, 0.05);
  EXPECT_NEAR(node_efficiency(1024), 100, 1e-9);
}

TEST(ClosedForm, AddsWhatIsSequential) {
  ClosedFormConstants constants = puhti();
  const double before = closed_form_of_node(cube_of(256), constants).seconds;
  constants.serial = 1e-3;
  EXPECT_NEAR(closed_form_of_node(cube_of(256), constants).seconds, before + 1e-3, 1e-15);
  EXPECT_GT(closed_form_of_device(cube_of(256), constants).seconds, 1e-3);
}

TEST(ClosedForm, PaysLatencyOnceARound) {
  ClosedFormConstants constants = puhti();
  const double free = closed_form_of_node(cube_of(256), constants).between_nodes;
  constants.between_nodes.latency = 1e-3;
  EXPECT_NEAR(closed_form_of_node(cube_of(256), constants).between_nodes, free + 1e-3, 1e-15);
  // 3 x 2 x 2 - 1 = 11 neighbours: 3 rounds of 4; 4 of 11 neighbours get 4/11 of the rate.
  constants.between_nodes.concurrent = 4;
  EXPECT_NEAR(closed_form_of_node(cube_of(256), constants).between_nodes, free * 11 / 4 + 3e-3, 1e-15);
  constants.between_nodes.concurrent = 11;
  EXPECT_NEAR(closed_form_of_node(cube_of(256), constants).between_nodes, free + 1e-3, 1e-15);
}

TEST(ClosedForm, SplitsADevicesHaloByWhereItComesFrom) {
  ClosedFormConstants constants;
  constants.between_nodes.seconds_per_cell = 1;
  constants.within_node.seconds_per_cell = 10;
  // Devices of 4 x 4 x 8 cells in nodes of 8 x 8 x 8: M'' = 6 x 6 x 10 = 360, L'' = 5 x 5 x 8 = 200, N'' = 128.
  const ClosedForm form = closed_form_of_device({{16, 16, 16}, {2, 2, 2}, {2, 2, 1}, 1}, constants);
  EXPECT_DOUBLE_EQ(form.between_nodes, 2 * (360 - 200) * 4);
  EXPECT_DOUBLE_EQ(form.within_node, 2 * (200 - 128) * 10);
  EXPECT_DOUBLE_EQ(form.seconds, 1440);
}

TEST(ClosedForm, HasNoNetworkInOneNode) {
  ClosedFormConstants constants = puhti();
  constants.within_node.seconds_per_cell = 1;
  const ClosedFormCase domain{{8, 8, 8}, {1, 1, 1}, {2, 1, 1}, 1};
  EXPECT_EQ(closed_form_of_node(domain, constants).between_nodes, 0);
  EXPECT_EQ(closed_form_of_device(domain, constants).between_nodes, 0);
  // Both ends of x, which is cut; y and z wrap around within the device.
  EXPECT_DOUBLE_EQ(closed_form_of_device(domain, constants).within_node, 2 * 2 * 8 * 8);
}

// A slab at a node's end meets one of its neighbours over the network, however many slabs the node has.
TEST(ClosedForm, HasTheNetworkWhereANodeHoldsManySlabs) {
  ClosedFormConstants constants;
  constants.between_nodes.seconds_per_cell = 1;
  constants.within_node.seconds_per_cell = 1;
  for (const std::int64_t slabs : {2, 3, 4, 6}) {
    const ClosedForm form = closed_form_of_device({{8, 8, 48}, {1, 1, 2}, {1, 1, slabs}, 1}, constants);
    EXPECT_DOUBLE_EQ(form.between_nodes, static_cast<double>(2 * 64 * slabs)) << slabs;
    EXPECT_DOUBLE_EQ(form.within_node, 2 * 64) << slabs;
  }
}

TEST(ClosedForm, HasNoHaloBetweenNodesWhereTheyAreNotCut) {
  ClosedFormConstants constants;
  constants.between_nodes.seconds_per_cell = 1;
  // Two faces of 8 x 8 cells, sent and received.
  EXPECT_DOUBLE_EQ(closed_form_of_node({{16, 8, 8}, {2, 1, 1}, {1, 1, 1}, 1}, constants).between_nodes, 2 * 2 * 64);
}

TEST(ClosedForm, SaysWhatDoesNotFit) {
  const auto refused = [](const ClosedFormCase& domain, const ClosedFormConstants& constants) {
    try {
      (void)closed_form_of_node(domain, constants);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  ClosedFormCase domain = cube_of(8);
  domain.node_grid.y = 0;
  EXPECT_EQ(refused(domain, {}),
            "closed form: a number of nodes in a dimension is 0; allowed is a whole number from 1 on");
  ClosedFormConstants constants;
  constants.between_nodes.latency = -1;
  EXPECT_THAT(refused(cube_of(8), constants), HasSubstr("latency is -1; allowed is a finite number of 0 or more"));
}

}  // namespace
}  // namespace halocline::model

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "machine/machine_map.hpp"
#include "machine/paths.hpp"
#include "machine/synthetic.hpp"
#include "support/error_of.hpp"

namespace halocline::machine {
namespace {

TEST(Synthetic, NodesAreAlikeAndRanksShareDevicesInOrder) {
  const MachineMap map = synthetic({3, 6, 2});
  EXPECT_NO_THROW(map.check());
  EXPECT_EQ(map.types.size(), 1u);
  EXPECT_EQ(map.nodes.size(), 3u);
  EXPECT_EQ(map.device_count(), 18);
  ASSERT_EQ(map.ranks.size(), 6u);
  EXPECT_EQ(map.ranks[3].node, node_id(1));
  EXPECT_EQ(map.ranks[3].devices, (std::vector{device_id(3), device_id(4), device_id(5)}));
}

TEST(Synthetic, AllPairsOfDevicesAreEquallyFast) {
  const MachineMap map = synthetic({1, 5, 1});
  const auto paths = best_paths(map.types[0]);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (i == j) continue;
      EXPECT_EQ(paths[i * 5 + j], paths[1]);
    }
    EXPECT_GT(paths[i * 6].bandwidth, paths[1].bandwidth) << "its own memory is nearer than another's";
  }
  EXPECT_TRUE(map.share_load_store(node_id(0), device_id(0), node_id(0), device_id(4)));
}

TEST(Synthetic, RefusesWhatCannotBe) {
  EXPECT_THROW(synthetic({0, 1, 1}), InvalidArgument);
  EXPECT_THROW(synthetic({1, 0, 1}), InvalidArgument);
  EXPECT_THROW(synthetic({1, 1, 0}), InvalidArgument);
  EXPECT_THROW(synthetic({1, 1 << 20, 1}), InvalidArgument);
  EXPECT_THROW(synthetic({1, 6, 4}), InvalidArgument);
  EXPECT_THROW(synthetic({1, 2, 4}), InvalidArgument);
}

TEST(Synthetic, HasTheLimitsOfMachineMaps) {
  const auto refusal = [](const SyntheticRequest& request) {
    return test::error_of<InvalidArgument>([&] { return synthetic(request); });
  };
  EXPECT_EQ(refusal({limits::nodes + 1, 1, 1}), "nodes is 262145; allowed is 1 to 262144");
  EXPECT_EQ(refusal({1, limits::devices_of_node + 1, 1}), "devices_per_node is 257; allowed is 1 to 256");
  EXPECT_EQ(refusal({limits::nodes, 2, 1}), "nodes times devices_per_node is 524288; allowed is 1 to 262144");
  EXPECT_EQ(refusal({2, 3, 2}),
            "ranks_per_node is 2; allowed are numbers that divide the 3 devices of node 0 ('node-0')");
}

TEST(AssignRanks, ReplacesTheRanksAndKeepsThemWhereItFails) {
  MachineMap map = synthetic({2, 4, 1});
  EXPECT_THROW(assign_ranks(map, 3), InvalidArgument);
  EXPECT_EQ(map.ranks.size(), 2u);
  assign_ranks(map, 4);
  ASSERT_EQ(map.ranks.size(), 8u);
  EXPECT_EQ(map.ranks[7].node, node_id(1));
  EXPECT_EQ(map.ranks[7].devices, std::vector{device_id(3)});
  EXPECT_NO_THROW(map.check());
}

}  // namespace
}  // namespace halocline::machine

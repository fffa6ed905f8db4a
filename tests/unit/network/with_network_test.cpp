// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "halocline/error.hpp"
#include "machine/interconnect.hpp"
#include "machine/synthetic.hpp"
#include "support/error_of.hpp"

namespace halocline::machine {
namespace {

TEST(WithNetwork, NodesBecomeTheHosts) {
  const MachineMap map = with_network(synthetic({2, 4, 2}), network_in(text_of("tree.conf")));
  EXPECT_EQ(map.nodes.size(), 15u);
  EXPECT_EQ(map.ranks.size(), 30u);
  EXPECT_EQ(map.nodes[7].name, "n08");
  // 25 GB/s a node: 4 below a leaf, 8 below a pod.
  const auto& tree = std::get<FatTree>(map.network.fabric.shape);
  EXPECT_DOUBLE_EQ(tree.levels[0].uplinks.bandwidth, 100e9);
  EXPECT_DOUBLE_EQ(tree.levels[1].uplinks.bandwidth, 200e9);
  EXPECT_THAT(map.sources, testing::Contains(testing::HasSubstr("assumed as fast as all nodes below")));
  // n06 and n08 are neighbours in the list, and below two pods.
  std::vector<std::int64_t> path;
  Interconnect(map).network_route(node_id(6), node_id(7), 0, path);
  EXPECT_EQ(path.size(), 6u);
}

TEST(WithNetwork, NodesOfAJobTakeTheirPlaces) {
  MachineMap job = synthetic({2, 1, 1});
  job.nodes[0].name = "node06.cluster.example";
  job.nodes[1].name = "node01";
  const MachineMap map = with_network(job, network_in(text_of("ibnetdiscover.txt")));
  EXPECT_EQ(map.nodes[0].port, 6);
  EXPECT_EQ(map.nodes[1].port, 1);
  EXPECT_EQ(map.ranks, job.ranks);
  EXPECT_DOUBLE_EQ(map.network.bandwidth, 25e9);
  job.nodes[1].name = "elsewhere";
  EXPECT_THAT(
      test::error_of<InvalidArgument>([&] { return with_network(job, network_in(text_of("ibnetdiscover.txt"))); }),
      testing::HasSubstr("node 'elsewhere' is no host of the network"));
}

/// Which kind a host would be of is not known.
TEST(WithNetwork, NodesOfSeveralKindsDoNotBecomeHosts) {
  MachineMap map = synthetic({2, 4, 2});
  map.name = "mixed";
  map.types.push_back(map.types[0]);
  map.nodes[1].type = 1;
  EXPECT_EQ(
      test::error_of<InvalidArgument>([&] { return with_network(map, network_in(text_of("tree.conf"))); }),
      "no node of 'mixed' is a host of the network, and its nodes are of 2 kinds; allowed is one kind, or nodes with "
      "hosts' names");
}

TEST(WithNetwork, AMachineWithoutRanksGetsNone) {
  MachineMap map = synthetic({2, 4, 2});
  map.ranks.clear();
  const MachineMap found = with_network(map, network_in("SwitchName=only Nodes=n[1-3]\n"));
  EXPECT_EQ(found.nodes.size(), 3u);
  EXPECT_TRUE(found.ranks.empty());
  EXPECT_EQ(found.network.fabric, Fabric{}) << "one switch, without uplinks to assume";
  EXPECT_EQ(found.sources.size(), map.sources.size() + network_in("SwitchName=only Nodes=n[1-3]\n").notes.size());
}

}  // namespace
}  // namespace halocline::machine

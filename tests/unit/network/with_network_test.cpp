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

}  // namespace
}  // namespace halocline::machine

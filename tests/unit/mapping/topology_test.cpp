// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "machine/names.hpp"
#include "machines.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> levels(const Topology& topology, int from, int to) {
  std::vector<int> scratch;
  std::vector<std::string> list;
  for (const int channel : topology.route(from, to, scratch)) {
    list.emplace_back(to_string(topology.channels()[static_cast<std::size_t>(channel)].kind));
  }
  return list;
}

TEST(CoreTopology, counts_cores_by_package_and_numa_node) {
  const Topology cores = core_topology(dual_node(12, 16));
  EXPECT_EQ(cores.places(), 24);
  EXPECT_THAT(levels(cores, 3, 3), ElementsAre());
  EXPECT_THAT(levels(cores, 0, 11), ElementsAre("memory", "memory", "memory", "memory"));
  EXPECT_THAT(levels(cores, 0, 12), ElementsAre("memory", "memory", "inter_package", "memory", "memory"));
  EXPECT_EQ(cores.hops(23, 0), 5);
}

TEST(CoreTopology, cores_of_a_numa_node_share_its_memory) {
  const machine::NodeType type = dual_node(2, 0);
  const Topology cores = core_topology(type);
  std::vector<int> scratch;
  const auto shared = [&](int from, int to) {
    std::vector<std::pair<int, int>> links;
    for (const int channel : cores.route(from, to, scratch)) {
      const int link = cores.graph().links[static_cast<std::size_t>(channel / 2)].of_type;
      if (link >= 0) links.emplace_back(link, channel % 2);
    }
    return links;
  };
  // Links of the node type: 0 between the packages, 1 and 2 from each NUMA node to its package.
  EXPECT_THAT(shared(0, 1), ElementsAre(std::pair(1, 0), std::pair(1, 1)));
  EXPECT_THAT(shared(3, 2), ElementsAre(std::pair(2, 0), std::pair(2, 1)));
  EXPECT_THAT(shared(1, 2), ElementsAre(std::pair(1, 0), std::pair(0, 0), std::pair(2, 1)));
}

TEST(CoreTopology, leaves_out_numa_nodes_that_repeat_cores) {
  machine::NodeType type = dual_node(4, 0);
  type.vertices.push_back({machine::VertexKind::numa, "HBM", 1, 4, -1});
  type.links.push_back({static_cast<int>(type.vertices.size()) - 1, 0, machine::LinkKind::memory, 400e9, 1e-7});
  EXPECT_EQ(core_topology(type).places(), 8);
  type.vertices[2].cores = 2;  // the package's other two cores belong to the HBM node
  EXPECT_THAT(levels(core_topology(type), 0, 2), ElementsAre("memory", "memory", "memory", "memory"));
}

TEST(CoreTopology, names_a_type_without_cores) {
  EXPECT_THAT(
      [] { static_cast<void>(core_topology(dual_node(0, 2))); },
      ThrowsMessage<InvalidArgument>(HasSubstr("node type '0 cores, 2 GPUs' has 0 cores; allowed is 1 or more")));
}

TEST(DeviceTopology, goes_over_switches_and_packages) {
  const Topology gpus = device_topology(dual_node(12, 16));
  EXPECT_EQ(gpus.places(), 16);
  EXPECT_THAT(levels(gpus, 0, 1), ElementsAre("pcie", "pcie"));
  EXPECT_THAT(levels(gpus, 0, 2), ElementsAre("pcie", "pcie", "pcie", "pcie"));
  EXPECT_THAT(levels(gpus, 7, 8), ElementsAre("pcie", "pcie", "inter_package", "pcie", "pcie"));
}

// A ring of three with one narrow link: the detour is wider, but paths do not pass through other devices.
TEST(DeviceTopology, takes_the_widest_way_but_not_through_devices) {
  machine::NodeType type;
  type.name = "triad";
  for (int d = 0; d < 3; ++d) type.vertices.push_back({machine::VertexKind::device, "", 0, 0, 0});
  type.vertices.push_back({machine::VertexKind::link_switch, "", 0, 0, -1});
  type.links = {{0, 1, machine::LinkKind::nvlink, 10e9, 1e-6},
                {1, 2, machine::LinkKind::nvlink, 50e9, 1e-6},
                {0, 2, machine::LinkKind::nvlink, 50e9, 1e-6},
                {0, 3, machine::LinkKind::nvlink, 20e9, 1e-6},
                {3, 1, machine::LinkKind::nvlink, 20e9, 1e-6}};
  const Topology gpus = device_topology(type);
  EXPECT_EQ(gpus.hops(0, 1), 2);
  EXPECT_EQ(gpus.hops(1, 2), 1);
  EXPECT_DOUBLE_EQ(gpus.seconds_a_byte(0, 1), 2 / 20e9);
  type.links = {{0, 1, machine::LinkKind::nvlink, 10e9, 1e-6}, {1, 2, machine::LinkKind::nvlink, 50e9, 1e-6}};
  EXPECT_THAT(
      [&] { static_cast<void>(device_topology(type)); },
      ThrowsMessage<InvalidArgument>(HasSubstr("devices of node type 'triad': vertex 0 has no way to vertex 2")));
}

TEST(NetworkTopology, is_one_switch) {
  const Topology network = network_topology(cluster_b());
  EXPECT_EQ(network.places(), 8);
  EXPECT_EQ(network.channels().size(), 16U);
  EXPECT_THAT(levels(network, 3, 5), ElementsAre("network", "network"));
}

TEST(NetworkTopology, of_many_nodes_finds_the_same_ways) {
  const Topology network = network_topology(machine_of({dual_node(2, 0)}, std::vector<int>(300, 0)));
  std::vector<int> scratch;
  EXPECT_THAT(network.route(7, 299, scratch), ElementsAre(14, 599));
  EXPECT_THAT(network.route(299, 7, scratch), ElementsAre(598, 15));
}

}  // namespace
}  // namespace halocline::mapping

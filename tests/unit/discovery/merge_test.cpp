// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/detail/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "machine/paths.hpp"

namespace halocline::machine {
namespace {

using testing::HasSubstr;

/// Two packages with one NUMA node each; operating system numbers 0 and 8, as on a POWER9.
HostProbe two_packages() {
  HostProbe host;
  host.type.name = "host";
  for (int p = 0; p < 2; ++p) host.type.vertices.push_back({VertexKind::package, "package", 0, 4, -1});
  for (int p = 0; p < 2; ++p) {
    host.type.vertices.push_back({VertexKind::numa, "NUMA", std::int64_t{64} << 30, 4, -1});
    host.type.links.push_back({2 + p, p, LinkKind::memory, 100e9, 1e-7});
    host.numa.emplace_back(8 * p, 2 + p);
  }
  host.type.links.push_back({0, 1, LinkKind::inter_package, 40e9, 1e-7});
  return host;
}

DeviceProbe host_device(std::string uuid, const char* name = "host device 0") {
  return {halocline::DeviceKind::host, name, std::move(uuid), std::int64_t{8} << 30, -1, {}, {}};
}

DeviceProbe gpu(std::string uuid, int numa = -1, std::vector<std::string> no_access = {}) {
  return {halocline::DeviceKind::cuda, "GPU", std::move(uuid), std::int64_t{16} << 30, numa, std::move(no_access), {}};
}

std::vector<int> load_store_domains_of(const NodeType& type) {
  std::vector<int> all;
  for (const int v : type.device_vertices())
    all.push_back(type.vertices[static_cast<std::size_t>(v)].load_store_domain);
  return all;
}

TEST(MergeNode, DevicesComeInTheOrderOfRanksThenOrdinals) {
  const NodeReport report = merge_node(
      two_packages(), "n",
      {{7, {host_device("d"), host_device("e")}}, {2, {host_device("a")}}, {5, {host_device("b"), host_device("c")}}});
  EXPECT_EQ(report.device_uuids, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  ASSERT_EQ(report.ranks.size(), 3u);
  EXPECT_EQ(report.ranks[0].rank, 2);
  EXPECT_EQ(report.ranks[2].rank, 7);
  EXPECT_EQ(report.ranks[2].devices, (std::vector{device_id(3), device_id(4)}));
  EXPECT_EQ(report.type.device_count(), 5);
  EXPECT_EQ(load_store_domains_of(report.type), std::vector<int>(5, 0));
}

TEST(MergeNode, OneDeviceThatSeveralRanksSeeIsOne) {
  const NodeReport report =
      merge_node(two_packages(), "n", {{0, {gpu("A"), gpu("B")}}, {1, {gpu("B"), gpu("C"), gpu("A")}}});
  EXPECT_EQ(report.device_uuids, (std::vector<std::string>{"A", "B", "C"}));
  EXPECT_EQ(report.ranks[1].devices, (std::vector{device_id(1), device_id(2), device_id(0)}));
}

TEST(MergeNode, WithoutUuidsNothingIsTakenForTheSame) {
  EXPECT_EQ(merge_node(two_packages(), "n", {{0, {gpu("")}}, {1, {gpu("")}}}).type.device_count(), 2);
}

TEST(MergeNode, ARankThatListsADeviceTwiceIsRefused) {
  try {
    static_cast<void>(merge_node(two_packages(), "n", {{3, {gpu("A"), gpu("A")}}}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 3 lists device 'GPU' (uuid A) twice"));
  }
}

TEST(MergeNode, DevicesAttachToTheirNumaNodeOrAreSpread) {
  const NodeReport known = merge_node(two_packages(), "n", {{0, {gpu("A", 8), gpu("B", 0)}}});
  const auto package_of = [&](const NodeReport& report, int device) {
    const int vertex = report.type.device_vertices()[static_cast<std::size_t>(device)];
    for (const Link& link : report.type.links) {
      if (link.a == vertex && link.kind == LinkKind::pcie) return link.b;
      if (link.a == vertex && link.kind == LinkKind::memory && link.b != vertex) return link.b - 2;
    }
    return -1;
  };
  EXPECT_EQ(package_of(known, 0), 1);
  EXPECT_EQ(package_of(known, 1), 0);
  const NodeReport spread =
      merge_node(two_packages(), "n", {{0, {host_device("a"), host_device("b"), host_device("c"), host_device("d")}}});
  EXPECT_EQ(package_of(spread, 1), 0);
  EXPECT_EQ(package_of(spread, 2), 1);
  EXPECT_LT(best_path(spread.type, device_id(0), device_id(1)).latency,
            best_path(spread.type, device_id(0), device_id(2)).latency);
}

TEST(MergeNode, DevicesKnownToBeOutOfReachAreInDomainsOfTheirOwn) {
  const NodeReport report = merge_node(two_packages(), "n", {{0, {gpu("A", 0, {"C"}), gpu("B")}}, {1, {gpu("C")}}});
  EXPECT_EQ(load_store_domains_of(report.type), (std::vector<int>{0, 0, 1}));
  // A device that one rank cannot reach counts as unreachable, also if another rank listed it first.
  const NodeReport both = merge_node(two_packages(), "n", {{0, {gpu("A")}}, {1, {gpu("A", 0, {"B"}), gpu("B")}}});
  EXPECT_EQ(load_store_domains_of(both.type), (std::vector<int>{0, 1}));
}

NodeReport node_of(const std::string& name, std::vector<RankDevices> ranks, std::int64_t more_memory = 0) {
  HostProbe host = two_packages();
  for (Vertex& vertex : host.type.vertices) {
    if (vertex.kind == VertexKind::numa) vertex.memory_bytes += more_memory;
    if (vertex.kind == VertexKind::package) vertex.name = "package of " + name;
  }
  return merge_node(std::move(host), name, std::move(ranks));
}

TEST(MergeNodes, AlikeNodesShareATypeAndKeepTheirUuids) {
  const MachineMap map = merge_nodes({node_of("b", {{2, {gpu("C")}}, {3, {gpu("D")}}}, std::int64_t{100} << 20),
                                      node_of("a", {{0, {gpu("A")}}, {1, {gpu("B")}}})},
                                     4);
  ASSERT_EQ(map.types.size(), 1u);
  ASSERT_EQ(map.nodes.size(), 2u);
  EXPECT_EQ(map.nodes[0].name, "a") << "nodes come in the order of their lowest rank";
  EXPECT_EQ(map.nodes[0].device_uuids, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(map.nodes[1].device_uuids, (std::vector<std::string>{"C", "D"}));
  EXPECT_EQ(map.ranks[3].node, node_id(1));
  EXPECT_EQ(map.ranks[3].devices, std::vector{device_id(1)});
  EXPECT_FALSE(map.sources.empty());
}

TEST(MergeNodes, HaveNamesOfTheirOwn) {
  // Two virtual nodes of one host, and a host with the name that the first of them would have.
  const MachineMap map = merge_nodes(
      {node_of("n", {{0, {gpu("A")}}}), node_of("n", {{1, {gpu("B")}}}), node_of("n-0", {{2, {gpu("C")}}})}, 3);
  EXPECT_EQ(map.nodes[0].name, "n-1");
  EXPECT_EQ(map.nodes[1].name, "n-2");
  EXPECT_EQ(map.nodes[2].name, "n-0");
}

TEST(MergeNodes, HostDevicesAreAlikeWhicheverRanksDriveThem) {
  const NodeReport one =
      node_of("a", {{0, {host_device("A"), host_device("B", "host device 1")}}, {1, {host_device("C")}}});
  const NodeReport other =
      node_of("b", {{2, {host_device("D")}}, {3, {host_device("E"), host_device("F", "host device 1")}}});
  EXPECT_EQ(merge_nodes({one, other}, 4).types.size(), 1u);
}

TEST(MergeNodes, UnlikeNodesDoNotShare) {
  DeviceProbe other_model = gpu("B");
  other_model.name = "GPU of another model";
  EXPECT_EQ(merge_nodes({node_of("a", {{0, {gpu("A")}}}), node_of("b", {{1, {other_model}}})}, 2).types.size(), 2u);
  EXPECT_EQ(merge_nodes({node_of("a", {{0, {gpu("A")}}}), node_of("b", {{1, {gpu("B", 8)}}})}, 2).types.size(), 2u);
  EXPECT_EQ(merge_nodes({node_of("a", {{0, {gpu("A")}}}), node_of("b", {{1, {gpu("B"), gpu("C")}}})}, 2).types.size(),
            2u);
  EXPECT_EQ(merge_nodes({node_of("a", {{0, {gpu("A")}}}), node_of("b", {{1, {gpu("B")}}}, std::int64_t{8} << 30)}, 2)
                .types.size(),
            2u);
}

TEST(MergeNodes, VirtualNodesOfOneHostGetNamesOfTheirOwn) {
  const MachineMap map = merge_nodes({node_of("h", {{0, {gpu("A")}}}), node_of("h", {{1, {gpu("B")}}})}, 2);
  EXPECT_EQ(map.nodes[0].name, "h-0");
  EXPECT_EQ(map.nodes[1].name, "h-1");
  EXPECT_EQ(merge_nodes({node_of("h", {{0, {gpu("A")}}})}, 1).nodes[0].name, "h");
}

TEST(MergeNodes, NamesThatAreNoUtf8AreEscaped) {
  DeviceProbe device = gpu("a");
  device.name = "GPU \xc3";
  const MachineMap map = merge_nodes({merge_node(two_packages(), "n\xff", {{0, {device}}})}, 1);
  EXPECT_EQ(map.name, "n\\xff");
  EXPECT_EQ(map.nodes[0].name, "n\\xff");
  EXPECT_EQ(map.types[0].vertices.back().name, "GPU \\xc3");
}

TEST(MergeNodes, EachRankIsInOneNode) {
  EXPECT_THROW(merge_nodes({node_of("a", {{0, {}}}), node_of("b", {{0, {}}})}, 1), InvalidArgument);
  EXPECT_THROW(merge_nodes({node_of("a", {{1, {}}})}, 2), InvalidArgument);
  EXPECT_THROW(merge_nodes({node_of("a", {{0, {}}, {1, {}}})}, 1), InvalidArgument);
}

}  // namespace
}  // namespace halocline::machine

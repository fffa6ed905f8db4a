// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "nvml_nodes.hpp"
#include "support/temporary_folder.hpp"

// Built with hwloc, which reads a recorded node from a file.
namespace halocline::machine {
namespace {

class Elsewhere {
 public:
  Elsewhere() { ::setenv("HWLOC_XMLFILE", HALOCLINE_HWLOC_NODE, 1); }
  /// A node in hwloc's words.
  explicit Elsewhere(const char* synthetic) { ::setenv("HWLOC_SYNTHETIC", synthetic, 1); }
  ~Elsewhere() {
    ::unsetenv("HWLOC_XMLFILE");
    ::unsetenv("HWLOC_SYNTHETIC");
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
};

/// hwloc_node.xml: two packages; on the first a GPU and a card behind a switch, and a card of its own; on the second a
/// GPU with a port of its own.
TEST(ProbeHwloc, FindsWhereGpusAndCardsArePluggedIn) {
  const Elsewhere elsewhere;
  const HostProbe host = probe_host();
  EXPECT_EQ(host.numa_of_cpu, (std::vector<int>{host.numa.at(0).second, host.numa[0].second, host.numa.at(1).second,
                                                host.numa[1].second}));
  const auto place = [&](const std::string& id) {
    const auto found = std::find_if(host.pci.begin(), host.pci.end(), [&](const PciPlace& p) { return p.id == id; });
    return found == host.pci.end() ? PciPlace{} : *found;
  };
  ASSERT_EQ(host.pci.size(), 4u) << "the disk controller is no place of interest";
  const PciPlace near = place("0000:04:00.0");
  EXPECT_EQ(near.root_port, "0000:00:01.0") << "beyond the switch";
  EXPECT_NEAR(near.root_port_bandwidth, 31.5e9, 0.1e9);
  EXPECT_EQ(near.package, 0);
  EXPECT_EQ(near.nic, -1);
  const PciPlace card = place("0000:05:00.0");
  EXPECT_EQ(card.root_port, near.root_port);
  ASSERT_GE(card.nic, 0);
  EXPECT_EQ(host.type.vertices.at(static_cast<std::size_t>(card.nic)).name, "mlx5_0");
  const PciPlace lonely = place("0000:81:00.0");
  EXPECT_EQ(lonely.root_port, "0000:80:01.0");
  EXPECT_EQ(lonely.package, 1);
  EXPECT_EQ(place("0000:09:00.0").root_port, "") << "at the host bridge itself";
}

TEST(ProbeHwloc, AGpuAndACardBehindOneSwitchAreNear) {
  const Elsewhere elsewhere;
  nodes::NodeFacts facts{probe_host(), {nodes::cuda_device(0, "a"), nodes::cuda_device(1, "b")}, {}};
  facts.nvml.gpus = {{nodes::uuid(0), "0000:04:00.0", {}, {}, 4, 16, 0, 0, {}, {}},
                     {nodes::uuid(1), "0000:81:00.0", {}, {}, 4, 16, 0, 0, {}, {}}};
  const NodeType type = facts.attached();
  const auto vertex = [&](VertexKind kind, const std::string& name) {
    const auto found = std::find_if(type.vertices.begin(), type.vertices.end(),
                                    [&](const Vertex& v) { return v.kind == kind && v.name == name; });
    return static_cast<int>(found - type.vertices.begin());
  };
  const int pci_switch = vertex(VertexKind::pci_switch, "PCIe switch");
  ASSERT_LT(pci_switch, static_cast<int>(type.vertices.size()));
  const auto linked = [&](int a, int b) {
    return std::any_of(type.links.begin(), type.links.end(), [&](const Link& l) { return l.a == a && l.b == b; });
  };
  EXPECT_TRUE(linked(vertex(VertexKind::nic, "mlx5_0"), pci_switch));
  EXPECT_TRUE(linked(vertex(VertexKind::device, "a"), pci_switch));
  EXPECT_TRUE(linked(pci_switch, 0));
  EXPECT_TRUE(linked(vertex(VertexKind::device, "b"), 1));
  EXPECT_TRUE(linked(vertex(VertexKind::nic, "eth0"), 0));
}

std::vector<int> vertices_of(const HostProbe& host, VertexKind kind) {
  std::vector<int> found;
  for (std::size_t v = 0; v < host.type.vertices.size(); ++v) {
    if (host.type.vertices[v].kind == kind) found.push_back(static_cast<int>(v));
  }
  return found;
}

TEST(ProbeHwloc, WithoutPackagesAndCoresTheMachineIsOnePackageOfItsProcessingUnits) {
  const Elsewhere elsewhere("numa:2 pu:3");
  const HostProbe host = probe_host();
  ASSERT_EQ(vertices_of(host, VertexKind::package), std::vector<int>{0});
  EXPECT_EQ(host.type.vertices[0].cores, 6);
  const std::vector<int> numa = vertices_of(host, VertexKind::numa);
  ASSERT_EQ(numa.size(), 2u);
  EXPECT_EQ(host.type.vertices[static_cast<std::size_t>(numa[1])].name, "NUMA node 1");
  EXPECT_EQ(host.type.vertices[static_cast<std::size_t>(numa[1])].cores, 3);
  EXPECT_EQ(host.numa_of_cpu, (std::vector<int>{numa[0], numa[0], numa[0], numa[1], numa[1], numa[1]}));
}

TEST(ProbeHwloc, NumaNodesWithoutMemoryAreNone) {
  std::ostringstream recorded;
  recorded << std::ifstream(HALOCLINE_HWLOC_NODE).rdbuf();
  const test::TemporaryFolder folder;
  std::ofstream(folder.at("node.xml")) << std::regex_replace(recorded.str(), std::regex("local_memory=\"[0-9]+\""),
                                                             "local_memory=\"0\"");
  const Elsewhere elsewhere;
  ::setenv("HWLOC_XMLFILE", folder.at("node.xml").c_str(), 1);
  const HostProbe host = probe_host();
  const std::vector<int> packages = vertices_of(host, VertexKind::package);
  const std::vector<int> numa = vertices_of(host, VertexKind::numa);
  ASSERT_EQ(packages.size(), 2u);
  ASSERT_EQ(numa.size(), 1u) << "one for the host, of unknown memory";
  const Vertex& node = host.type.vertices[static_cast<std::size_t>(numa[0])];
  EXPECT_EQ(node.name, "NUMA node 0");
  EXPECT_EQ(node.memory_bytes, 0);
  EXPECT_EQ(node.cores, host.type.vertices[0].cores);
  EXPECT_EQ(host.numa, (std::vector<std::pair<int, int>>{{0, numa[0]}}));
}

TEST(ProbeHwloc, PackagesOfSeveralNumaNodesAreLinkedToEach) {
  const Elsewhere elsewhere("package:2 numa:2 core:2 pu:2");
  const HostProbe host = probe_host();
  const std::vector<int> packages = vertices_of(host, VertexKind::package);
  const std::vector<int> numa = vertices_of(host, VertexKind::numa);
  ASSERT_EQ(packages.size(), 2u);
  ASSERT_EQ(numa.size(), 4u);
  std::vector<std::pair<int, int>> links;
  for (const Link& link : host.type.links) {
    if (link.kind == LinkKind::memory) links.emplace_back(link.a, link.b);
  }
  EXPECT_EQ(links,
            (std::vector<std::pair<int, int>>{
                {numa[0], packages[0]}, {numa[1], packages[0]}, {numa[2], packages[1]}, {numa[3], packages[1]}}));
  EXPECT_EQ(std::count_if(host.type.links.begin(), host.type.links.end(),
                          [](const Link& link) { return link.kind == LinkKind::inter_package; }),
            1);
}

}  // namespace
}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "nvml_nodes.hpp"

// Built with hwloc, which reads a recorded node from a file.
namespace halocline::machine {
namespace {

class Elsewhere {
 public:
  Elsewhere() { ::setenv("HWLOC_XMLFILE", HALOCLINE_HWLOC_NODE, 1); }
  ~Elsewhere() { ::unsetenv("HWLOC_XMLFILE"); }
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

}  // namespace
}  // namespace halocline::machine

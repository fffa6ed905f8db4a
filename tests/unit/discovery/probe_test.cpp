// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/probe.hpp"

#include <gtest/gtest.h>

#include "discovery/discover.hpp"
#include "support/listed_devices.hpp"

namespace halocline::machine {
namespace {

MachineMap one_node(NodeType type) {
  MachineMap map;
  map.types.push_back(std::move(type));
  map.nodes.push_back({"here", 0, {}, -1});
  return map;
}

TEST(Probe, ThisHostHasPackagesMemoryAndAGraphThatFitsTogether) {
  const HostProbe host = probe_host();
  EXPECT_NO_THROW(one_node(host.type).check());
  ASSERT_FALSE(host.numa.empty());
  for (const auto& [number, vertex] : host.numa) {
    EXPECT_GE(number, 0);
    EXPECT_EQ(host.type.vertices.at(static_cast<std::size_t>(vertex)).kind, VertexKind::numa);
  }
  EXPECT_EQ(host.type.vertices.at(0).kind, VertexKind::package);
  EXPECT_GT(host.type.vertices[0].cores, 0);
  EXPECT_FALSE(host_sources().empty());
  EXPECT_EQ(probe_host().type, host.type) << "asked twice, it says the same";
  EXPECT_EQ(this_host().type, host.type);
  EXPECT_EQ(&this_host(), &this_host()) << "asked once a process";
}

TEST(Probe, ANodeHoldsTheBackendsDevices) {
  const test::ListedDevices backend(halocline::DeviceKind::host, {{"h", "u0", 1 << 20, -1}, {"h", "u1", 1 << 20, 0}});
  const NodeType type = probe_node(backend);
  EXPECT_EQ(type.device_count(), 2);
  EXPECT_NO_THROW(one_node(type).check());
}

TEST(Probe, GpusWithoutPeerAccessInBothDirectionsAreApart) {
  test::ListedDevices backend(halocline::DeviceKind::cuda, {{"g", "A", 1, 0}, {"g", "B", 1, 0}, {"g", "C", 1, 0}});
  backend.reaches = [](int from, int to) { return !(from == 2 && to == 0); };
  const auto devices = probe_devices(backend);
  EXPECT_EQ(devices[0].no_access, std::vector<std::string>{"C"});
  EXPECT_EQ(devices[0].access, std::vector<std::string>{"B"});
  EXPECT_TRUE(devices[1].no_access.empty());
  EXPECT_EQ(devices[1].access, (std::vector<std::string>{"A", "C"}));
  EXPECT_EQ(devices[2].no_access, std::vector<std::string>{"A"});
}

}  // namespace
}  // namespace halocline::machine

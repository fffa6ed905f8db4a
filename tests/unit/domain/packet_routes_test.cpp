// SPDX-License-Identifier: BSD-3-Clause
// Packets are used only on links over which 16-byte stores are known to arrive as a whole.
#include "domain/detail/packet_routes.hpp"
#include "placement/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "machine/synthetic.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using testing::EndsWith;

/// Two GPUs of a node, behind one switch.
machine::MachineMap pair_of_gpus(machine::LinkKind link, machine::VertexKind middle) {
  machine::MachineMap map = machine::synthetic({1, 2, 1});
  machine::NodeType& type = map.types.at(0);
  type.vertices.clear();
  for (const auto kind : {machine::VertexKind::device, machine::VertexKind::device, middle}) {
    machine::Vertex vertex;
    vertex.kind = kind;
    type.vertices.push_back(vertex);
  }
  type.links = {{0, 2, link, 1e9, 1e-6}, {1, 2, link, 1e9, 1e-6}};
  return map;
}

placement::Slot slot(int device, int node = 0) {
  placement::Slot slot;
  slot.node = node_id(node);
  slot.device = device_id(device);
  return slot;
}

routing::Route decided(const machine::MachineMap& map, const placement::Slot& from, const placement::Slot& to) {
  routing::Route route;
  route.transport = routing::Transport::direct;
  route.reason = "direct: for the test";
  decide_packets(route, halocline::DeviceKind::cuda, false, map, from, to);
  return route;
}

TEST(PacketRoutes, AreThoseOverNvlink) {
  const auto nvlink = pair_of_gpus(machine::LinkKind::nvlink, machine::VertexKind::link_switch);
  EXPECT_TRUE(decided(nvlink, slot(0), slot(1)).packets);
  EXPECT_EQ(decided(nvlink, slot(0), slot(1)).reason, "direct: for the test");
  EXPECT_TRUE(decided(nvlink, slot(1), slot(0)).packets);
}

TEST(PacketRoutes, AreNotThoseOverPcie) {
  const auto pcie = pair_of_gpus(machine::LinkKind::pcie, machine::VertexKind::pci_switch);
  EXPECT_FALSE(decided(pcie, slot(0), slot(1)).packets);
  EXPECT_THAT(decided(pcie, slot(0), slot(1)).reason,
              EndsWith("; no packets: the machine map has no NVLink between the two GPUs"));
  EXPECT_TRUE(decided(pcie, slot(0), slot(0)).packets) << "one device";
}

/// The number of parts that may be sent as packets between two devices.
int packets(halocline::DeviceKind kind, const machine::MachineMap& map, bool on_host = false) {
  device::HostOptions host;
  host.devices = 2;
  test::Said said;
  said.kind = kind;
  const auto backend = std::make_shared<test::ForwardingBackend>(device::make_host_backend(host), said);
  DomainOptions options;
  options.devices.existing.emplace(backend);
  options.machine.map = map;
  options.internal = std::make_shared<InternalOptions>(InternalOptions{.host_packets = on_host});
  options.routing.policy.order = {routing::Transport::self, routing::Transport::direct};
  Domain domain({8, 8, 8}, Stencil::box(1), options);
  static_cast<void>(domain.add_field<float>("u"));
  domain.realize();
  domain.exchange();
  domain.close();
  return backend->packets();
}

TEST(PacketRoutes, DecideHowMessagesGo) {
  const auto nvlink = pair_of_gpus(machine::LinkKind::nvlink, machine::VertexKind::link_switch);
  const auto pcie = pair_of_gpus(machine::LinkKind::pcie, machine::VertexKind::pci_switch);
  EXPECT_EQ(packets(halocline::DeviceKind::cuda, pcie), 0);
  EXPECT_EQ(packets(halocline::DeviceKind::cuda, nvlink), 4) << "one out and one in, of each of the two";
  EXPECT_EQ(packets(halocline::DeviceKind::host, nvlink), 0) << "rows are copied once";
  EXPECT_EQ(packets(halocline::DeviceKind::host, pcie, true), 4) << "where a test asks for them";
}

}  // namespace
}  // namespace halocline

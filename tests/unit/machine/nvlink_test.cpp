// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of devices are joined by NVLink according to the machine map.
#include "machine/nvlink.hpp"

#include <gtest/gtest.h>

namespace halocline::machine {
namespace {

const device_id a(0);
const device_id b(1);

/// Two devices, and a third vertex that is linked to both.
NodeType node(VertexKind third, LinkKind to_a, LinkKind to_b) {
  NodeType type;
  for (const VertexKind kind : {VertexKind::device, VertexKind::device, third}) {
    Vertex vertex;
    vertex.kind = kind;
    type.vertices.push_back(vertex);
  }
  type.links = {{0, 2, to_a, 1e9, 1e-6}, {2, 1, to_b, 1e9, 1e-6}};
  return type;
}

TEST(Nvlink, JoinsDevicesDirectlyOrByASwitch) {
  using enum LinkKind;
  EXPECT_TRUE(joined_by_nvlink(node(VertexKind::link_switch, nvlink, nvlink), a, b));
  EXPECT_TRUE(joined_by_nvlink(node(VertexKind::link_switch, nvlink, nvlink), b, a));
  EXPECT_FALSE(joined_by_nvlink(node(VertexKind::pci_switch, pcie, pcie), a, b));
  EXPECT_FALSE(joined_by_nvlink(node(VertexKind::link_switch, nvlink, pcie), a, b));
  EXPECT_FALSE(joined_by_nvlink(node(VertexKind::package, nvlink, nvlink), a, b)) << "by way of a processor";
  EXPECT_FALSE(joined_by_nvlink(node(VertexKind::device, nvlink, nvlink), a, b)) << "by way of another device";
  NodeType direct = node(VertexKind::pci_switch, pcie, pcie);
  direct.links.push_back({0, 1, nvlink, 1e9, 1e-6});
  EXPECT_TRUE(joined_by_nvlink(direct, a, b));
}

}  // namespace
}  // namespace halocline::machine

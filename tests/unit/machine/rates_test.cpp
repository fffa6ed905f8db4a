// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "machine/paths.hpp"
#include "machine/rates.hpp"
#include "machine/synthetic.hpp"

namespace halocline::machine {
namespace {

constexpr int host = Measurement::host;

/// Package, NUMA node, two devices; nominal 25 GB/s to the package, 100 GB/s of memory, 300 GB/s of the switch.
MachineMap two_devices() {
  MachineMap map = synthetic({1, 2, 1});
  NodeType& type = map.types[0];
  const int numa = static_cast<int>(type.vertices.size());
  type.vertices.push_back({VertexKind::numa, "NUMA node 0", 0, 0, -1});
  type.links.push_back({numa, 0, LinkKind::memory, 100e9, 1e-7});
  return map;
}

TEST(MeasureCompare, FindsPathsThatAreSlowerThanTheirLinks) {
  MachineMap map = two_devices();
  NodeType& type = map.types[0];
  const int numa = static_cast<int>(type.vertices.size()) - 1;
  type.measurements = {{.from = 0, .to = 1, .method = "copy", .bandwidth = 239e9},
                       {.from = 1, .to = 0, .method = "copy", .bandwidth = 241e9},
                       {.from = 0, .to = 0, .method = "copy", .bandwidth = 2.5e12},
                       {.from = 0, .to = 1, .method = "copy", .bandwidth = 1e9, .traffic = Traffic::two_way},
                       {.from = 0, .to = 1, .method = "put", .bandwidth = 1e9},
                       {.from = host, .to = 0, .method = "pinned", .bandwidth = 26e9, .numa = numa},
                       {.from = 1, .to = host, .method = "pinned", .bandwidth = 10e9, .numa = numa},
                       {.from = 0, .to = host, .method = "pinned", .bandwidth = 1e9}};
  map.check();
  const auto found = slow_paths(map, 0.2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].from, 0);
  EXPECT_EQ(found[0].to, 1);
  EXPECT_EQ(found[0].nominal, 300e9) << "by links, not by the measurement itself";
  EXPECT_EQ(found[0].measured, 239e9);
  EXPECT_EQ(found[1].to, host);
  EXPECT_EQ(found[1].nominal, 25e9);
  EXPECT_EQ(found[1].numa, numa);
  EXPECT_EQ(slow_paths(map, 0.01).size(), 3u) << "not the copy within device 0, which is faster than nominal";
}

TEST(MeasureCompare, LinkPathsBetweenAnyTwoVertices) {
  const NodeType type = two_devices().types[0];
  EXPECT_EQ(link_path(type, 2, 3).bandwidth, 300e9);
  EXPECT_EQ(link_path(type, 5, 2).bandwidth, 25e9) << "memory, package, device";
  EXPECT_THROW(static_cast<void>(link_path(type, 0, 6)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(link_path(type, -1, 0)), InvalidArgument);
}

TEST(MeasureCompare, TransportsHaveTheTwoWayRatesOfTheirMethods) {
  MachineMap map = two_devices();
  NodeType& type = map.types[0];
  type.measurements = {{.from = 0, .to = 0, .method = "copy", .bandwidth = 7},
                       {.from = 0, .to = 1, .method = "copy", .bandwidth = 1},
                       {.from = 0, .to = 1, .method = "copy", .bandwidth = 2, .traffic = Traffic::two_way},
                       {.from = 0, .to = 1, .method = "put", .bandwidth = 3, .traffic = Traffic::two_way},
                       {.from = 0, .to = 1, .method = "mpi_staged", .bandwidth = 4, .traffic = Traffic::two_way},
                       {.from = 0, .to = 1, .method = "mpi_device", .bandwidth = 5}};
  const auto rate = [&](const char* transport) { return transport_rate(type, device_id(0), device_id(1), transport); };
  EXPECT_EQ(rate("peer_copy"), 2);
  EXPECT_EQ(rate("ipc_copy"), 2);
  EXPECT_EQ(rate("direct"), 3);
  EXPECT_EQ(rate("mpi_staged"), 4);
  EXPECT_EQ(rate("mpi_device"), std::nullopt) << "only one way was measured";
  EXPECT_EQ(rate("pigeon"), std::nullopt);
  EXPECT_EQ(transport_rate(type, device_id(0), device_id(0), "self"), 7);
  EXPECT_EQ(transport_rate(type, device_id(1), device_id(0), "peer_copy"), std::nullopt);
  EXPECT_EQ(method_of_transport("direct"), "put");
}

TEST(MeasureCompare, PathsTakeOneWayCopiesBetweenDevicesOnly) {
  MachineMap map = two_devices();
  NodeType& type = map.types[0];
  type.measurements = {{.from = 0, .to = host, .method = "copy", .bandwidth = 9},
                       {.from = host, .to = 1, .method = "copy", .bandwidth = 9},
                       {.from = 0, .to = 1, .method = "copy", .bandwidth = 9, .traffic = Traffic::two_way},
                       {.from = 1, .to = 0, .method = "copy", .bandwidth = 8}};
  map.check();
  EXPECT_EQ(best_path(type, device_id(0), device_id(1)).bandwidth, 300e9);
  EXPECT_EQ(best_paths(type)[1].bandwidth, 300e9);
  EXPECT_EQ(best_path(type, device_id(1), device_id(0)).bandwidth, 8);
  EXPECT_EQ(best_paths(type)[2].bandwidth, 8);
}

}  // namespace
}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "machine/keep_devices.hpp"
#include "machine/machine_map.hpp"
#include "machine/paths.hpp"
#include "machine/synthetic.hpp"

namespace halocline::machine {
namespace {

TEST(KeepDevices, RemovesVerticesLinksAndMeasurements) {
  MachineMap map = synthetic({2, 4, 1});
  NodeType& type = map.types.front();
  type.measurements = {{.from = 0, .to = 1, .method = "copy", .bandwidth = 1e9, .latency = 1e-6},
                       {.from = 1, .to = 3, .method = "copy", .bandwidth = 1e9, .latency = 1e-6}};
  const Path before = link_path(type, type.device_vertices()[0], type.device_vertices()[1]);
  keep_devices(map, 2);
  map.check();
  EXPECT_EQ(map.device_count(), 4);
  EXPECT_EQ(map.ranks.size(), 4U);
  EXPECT_EQ(map.types.front().measurements.size(), 1U);
  const NodeType& now = map.types.front();
  EXPECT_EQ(link_path(now, now.device_vertices()[0], now.device_vertices()[1]), before);
  // The network card, which came behind the devices, still has its link.
  EXPECT_GT(link_path(now, now.device_vertices()[0], static_cast<int>(now.vertices.size()) - 1).bandwidth, 0);
}

TEST(KeepDevices, RefusesMoreThanThereAre) {
  MachineMap map = synthetic({1, 4, 1});
  EXPECT_THROW(keep_devices(map, 5), InvalidArgument);
  EXPECT_THROW(keep_devices(map, 0), InvalidArgument);
}

}  // namespace
}  // namespace halocline::machine

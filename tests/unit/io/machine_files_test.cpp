#include <gtest/gtest.h>

#include <filesystem>

#include "halocline/io/json.hpp"

namespace halocline::io {
namespace {

const std::filesystem::path folder = HALOCLINE_MACHINES;

machine::NodeType::Path between(const machine::MachineMap& map, int from, int to) {
  return map.types.at(0).path(device_id(from), device_id(to));
}

TEST(MachineFiles, AllReadAndComeBackAndSayWhereTheirNumbersAreFrom) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const machine::MachineMap map = read_machine_file(entry.path());
    EXPECT_EQ(machine_from_json(to_json(map)), map);
    EXPECT_FALSE(map.sources.empty());
    EXPECT_GT(map.device_count(), 0);
    ++files;
  }
  EXPECT_GE(files, 2);
}

TEST(Summit, IsTwoTriadsOfSixDevices) {
  const machine::MachineMap map = read_machine_file(folder / "summit.json");
  EXPECT_EQ(map.nodes.size(), 256u);
  EXPECT_EQ(map.device_count(), 1536);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      SCOPED_TRACE(std::to_string(i) + " -> " + std::to_string(j));
      if (i == j) {
        EXPECT_EQ(between(map, i, j).bandwidth, 900e9);
      } else if (i / 3 == j / 3) {
        EXPECT_EQ(between(map, i, j), between(map, 0, 1));
      } else {
        EXPECT_EQ(between(map, i, j), between(map, 0, 3));
      }
    }
  }
  // Within a triad one NVLink hop. Across, NVLink 50, X-bus 64, NVLink 50: as wide, three hops long.
  EXPECT_EQ(between(map, 0, 1).bandwidth, 50e9);
  EXPECT_EQ(between(map, 0, 3).bandwidth, 50e9);
  EXPECT_NEAR(between(map, 0, 1).latency, 0.7e-6, 1e-12);
  EXPECT_NEAR(between(map, 0, 3).latency, 1.6e-6, 1e-12);
}

TEST(Summit, ANarrowerXBusNarrowsThePathsAcross) {
  machine::MachineMap map = read_machine_file(folder / "summit.json");
  for (machine::Link& link : map.types[0].links) {
    if (link.kind == machine::LinkKind::inter_package) link.bandwidth = 32e9;
  }
  EXPECT_EQ(between(map, 0, 3).bandwidth, 32e9);
  EXPECT_EQ(between(map, 0, 1).bandwidth, 50e9);
}

TEST(DgxH200, AllPairsGoThroughTheSwitch) {
  const machine::MachineMap map = read_machine_file(folder / "dgx-h200.json");
  EXPECT_EQ(map.devices_of(node_id(0)), 8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) EXPECT_EQ(between(map, i, j).bandwidth, i == j ? 4.8e12 : 450e9);
  }
  machine::MachineMap with_ranks = map;
  machine::assign_ranks(with_ranks, 8);
  EXPECT_NO_THROW(with_ranks.check());
  EXPECT_TRUE(map.share_load_store(node_id(0), device_id(0), node_id(0), device_id(7)));
}

}  // namespace
}  // namespace halocline::io

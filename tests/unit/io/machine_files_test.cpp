// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>

#include "halocline/error.hpp"
#include "halocline/machine.hpp"
#include "io/json.hpp"
#include "machine/interconnect.hpp"
#include "machine/paths.hpp"
#include "machine/synthetic.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

const std::filesystem::path folder = HALOCLINE_MACHINES;

machine::Path between(const machine::MachineMap& map, int from, int to) {
  return best_path(map.types.at(0), device_id(from), device_id(to));
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
  EXPECT_GE(files, 12);
}

TEST(MachineFiles, AreReadByUsersAsTheyAreByTheLibrary) {
  const std::string file = folder / "dgx-h200.json";
  const Machine machine = Machine::read(file);
  EXPECT_EQ(machine.map(), read_machine_file(file));
  EXPECT_EQ(Machine::from_json(machine.json()).map(), machine.map());
  EXPECT_EQ(test::error_of<ResourceError>([] { return Machine::read("no-such-machine.json"); }),
            "machine file 'no-such-machine.json' cannot be read: No such file or directory");
}

TEST(MachineFiles, DevicesReachEachOtherAndTheirOwnMemory) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const machine::MachineMap map = read_machine_file(entry.path());
    const machine::Interconnect net(map);
    const auto nodes = static_cast<std::int64_t>(map.nodes.size());
    std::vector<std::int64_t> path;
    for (const std::int64_t node : {std::int64_t{0}, std::int64_t{1}, nodes / 2, nodes - 1}) {
      if (node >= nodes) continue;
      for (int from = 0; from < map.devices_of(node_id(0)); ++from) {
        for (int to = 0; to < map.devices_of(node_id(node)); ++to) {
          path.clear();
          net.route(net.device(node_id(0), device_id(from)), net.device(node_id(node), device_id(to)), path);
          ASSERT_FALSE(path.empty());
          if (node > 0) continue;
          double width = net.channel(path[0]).bandwidth;
          for (const std::int64_t id : path) width = std::min(width, net.channel(id).bandwidth);
          EXPECT_EQ(width, between(map, from, to).bandwidth);
        }
      }
    }
  }
}

/// Independent figures of each machine file: nodes, GPUs a node, the path between GPUs 0 and 1 and between 0 and the
/// last, and a node's network, all in bytes a second.
struct Expected {
  const char* file;
  std::size_t nodes;
  int devices;
  double near;
  double far;
  double network;
};

TEST(MachineFiles, HoldTheNumbersOfTheirSources) {
  const std::vector<Expected> all{
      {"c2050-server", 1, 4, 8e9, 8e9, 0.125e9},   {"dgx-h200", 4, 8, 450e9, 450e9, 400e9},
      {"frontier", 1024, 8, 200e9, 36e9, 100e9},   {"gb200-nvl72", 36, 4, 900e9, 900e9, 200e9},
      {"gh200-quad", 256, 4, 150e9, 150e9, 100e9}, {"gtx590-server", 1, 4, 8e9, 8e9, 0.125e9},
      {"k20-server", 1, 4, 8e9, 8e9, 0.125e9},     {"magc-cluster-a", 4, 16, 15.75e9, 15.75e9, 4e9},
      {"magc-cluster-b", 8, 8, 8e9, 8e9, 4e9},     {"puhti", 80, 4, 50e9, 50e9, 25e9},
      {"summit", 256, 6, 50e9, 50e9, 25e9},        {"titan", 512, 1, 250e9, 250e9, 8.3e9},
  };
  for (const Expected& one : all) {
    SCOPED_TRACE(one.file);
    const machine::MachineMap map = read_machine_file(folder / (std::string(one.file) + ".json"));
    EXPECT_EQ(map.nodes.size(), one.nodes);
    EXPECT_EQ(map.devices_of(node_id(0)), one.devices);
    EXPECT_EQ(between(map, 0, std::min(1, one.devices - 1)).bandwidth, one.near);
    EXPECT_EQ(between(map, 0, one.devices - 1).bandwidth, one.far);
    EXPECT_EQ(map.network.bandwidth, one.network);
  }
}

TEST(Gb200Nvl72, ItsRacksAreLoadStoreDomains) {
  const machine::MachineMap map = read_machine_file(folder / "gb200-nvl72.json");
  const machine::Interconnect net(map);
  std::vector<std::int64_t> path;
  net.route(net.device(node_id(0), device_id(3)), net.device(node_id(17), device_id(0)), path);
  EXPECT_EQ(path.size(), 2u) << "to the rack's switch and from it";
  EXPECT_TRUE(map.share_load_store(node_id(0), device_id(3), node_id(17), device_id(0)));
  path.clear();
  net.route(net.device(node_id(0), device_id(3)), net.device(node_id(18), device_id(0)), path);
  EXPECT_GT(path.size(), 4u) << "over the network";
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
  // Within a triad one NVLink hop. Across: NVLink 50, X-bus 64, NVLink 50: the same width, three hops.
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

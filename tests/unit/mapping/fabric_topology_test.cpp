// SPDX-License-Identifier: BSD-3-Clause
// Mapping onto networks for which the optimum is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "machine/interconnect.hpp"
#include "machine/names.hpp"
#include "machines.hpp"
#include "mapping/patterns.hpp"
#include "mapping/quality.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;

/// Nodes of one core, without devices.
machine::MachineMap bare(int nodes, machine::Fabric fabric) {
  auto map = machine_of({{.name = "bare", .vertices = {}, .links = {}, .measurements = {}, .exchange_rates = {}}},
                        std::vector<int>(static_cast<std::size_t>(nodes), 0));
  map.types[0].vertices.push_back({machine::VertexKind::package, "package", 0, 1, -1});
  map.network.fabric = std::move(fabric);
  return map;
}

std::vector<int> shuffled(int count, unsigned seed) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  std::shuffle(list.begin(), list.end(), std::mt19937(seed));
  return list;
}

/// Within each group, every process sends every other one 1000 bytes; the members of a group are scattered.
CommunicationMatrix groups(int ranks, int of, unsigned seed) {
  const std::vector<int> rank = shuffled(ranks, seed);
  CommunicationMatrix matrix(ranks);
  for (std::size_t a = 0; a < rank.size(); ++a) {
    for (std::size_t b = a / static_cast<std::size_t>(of) * static_cast<std::size_t>(of); b < rank.size(); ++b) {
      if (a != b && a / static_cast<std::size_t>(of) == b / static_cast<std::size_t>(of)) {
        matrix.add(rank[a], rank[b], 1000);
      }
    }
  }
  return matrix;
}

double most_of(const machine::MachineMap& map, const CommunicationMatrix& matrix, Mapper mapper) {
  const Topology network = network_topology(map);
  const MappingProblem problem{&matrix, &network, std::vector<int>(map.nodes.size(), 1)};
  return sorted_congestions(problem, map_processes(mapper, problem)).front();
}

TEST(NetworkTopology, takes_the_routes_of_the_interconnect) {
  for (const int nodes : {24, 300}) {  // distances stored, and computed on demand
    const auto map = bare(nodes, {1, machine::Torus{1, {{nodes / 4, {1e9, 1e-7}}, {4, {2e9, 1e-7}}}}});
    const machine::Interconnect interconnect(map);
    const Topology network = network_topology(map);
    ASSERT_EQ(std::ssize(network.channels()), interconnect.channel_count());
    std::vector<std::int64_t> path;
    std::vector<int> scratch;
    for (int from = 0; from < nodes; from += 5) {
      for (int to = 0; to < nodes; ++to) {
        path.clear();
        interconnect.network_route(node_id(from), node_id(to), 0, path);
        ASSERT_THAT(network.route(from, to, scratch), testing::ElementsAreArray(path));
      }
    }
  }
}

// A ring of processes on a ring of routers: with the optimum no link carries more than one message.
TEST(Torus, a_scrambled_ring_goes_along_the_ring) {
  const auto map = bare(8, {1, machine::Torus{1, {{8, {1e9, 1e-7}}}}});
  CommunicationMatrix ring(8);
  for (int r = 0; r < 8; ++r) ring.add(r, (r + 3) % 8, 1000);
  EXPECT_DOUBLE_EQ(most_of(map, ring, Mapper::in_order), 3 * 1000 / 1e9);
  EXPECT_DOUBLE_EQ(most_of(map, ring, Mapper::congestion), 1000 / 1e9);
  EXPECT_DOUBLE_EQ(most_of(map, ring, Mapper::partition), 1000 / 1e9);
}

// Four processes on a switch: with the optimum nothing leaves the switches.
TEST(FatTree, groups_share_a_leaf) {
  const auto map = bare(16, {1, machine::FatTree{{{4, {2e9, 1e-7}}}}});
  const double ports_alone = 3 * 1000 / 4e9;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto matrix = groups(16, 4, seed);
    EXPECT_GT(most_of(map, matrix, Mapper::in_order), ports_alone);
    EXPECT_DOUBLE_EQ(most_of(map, matrix, Mapper::partition), ports_alone) << seed;
    EXPECT_DOUBLE_EQ(most_of(map, matrix, Mapper::congestion), ports_alone) << seed;
    if (have_scotch()) {
      EXPECT_DOUBLE_EQ(most_of(map, matrix, Mapper::scotch), ports_alone) << seed;
    }
  }
}

TEST(Dragonfly, groups_of_processes_share_a_group_of_routers) {
  const auto map = bare(24, {1, machine::Dragonfly{2, 4, 3, 2, {8e9, 1e-7}, {1e9, 5e-7}}});
  const Topology network = network_topology(map);
  const auto matrix = groups(24, 8, 1);
  const MappingProblem problem{&matrix, &network, std::vector<int>(24, 1)};
  const auto loads = channel_loads(matrix, network, map_processes(Mapper::congestion, problem));
  for (std::size_t c = 0; c < loads.size(); ++c) {
    if (network.channels()[c].bandwidth == 1e9) {
      EXPECT_EQ(loads[c], 0) << "channel " << c;
    }
  }
}

// More places than distances are stored for: a torus of 20 x 15, and a stencil of the same shape in random order. With
// every process next to its peers a byte crosses 3 channels; in random order 10.
TEST(Torus, a_scrambled_stencil_comes_near_the_torus_without_all_distances) {
  const auto map = bare(300, {1, machine::Torus{1, {{20, {1e9, 1e-7}}, {15, {1e9, 1e-7}}}}});
  const Topology network = network_topology(map);
  const auto regular = matrix_of({.pattern = Pattern::stencil_2d, .ranks = 300, .bytes = 1000, .periodic = true});
  const std::vector<int> rank = shuffled(300, 7);
  CommunicationMatrix matrix(300);
  for (std::size_t from = 0; from < rank.size(); ++from) {
    for (const Flow& flow : regular.row(static_cast<int>(from))) {
      matrix.add(rank[from], rank[static_cast<std::size_t>(flow.to)], flow.bytes);
    }
  }
  const MappingProblem problem{&matrix, &network, std::vector<int>(300, 1)};
  const auto hops = [&](Mapper mapper, const Effort& effort = {}) {
    const auto place_of = map_processes(mapper, problem, effort);
    EXPECT_EQ(std::set(place_of.begin(), place_of.end()).size(), 300U);
    EXPECT_EQ(map_processes(mapper, problem, effort), place_of);
    const auto loads = channel_loads(matrix, network, place_of);
    return static_cast<double>(std::accumulate(loads.begin(), loads.end(), std::int64_t{0})) / (4 * 300 * 1000);
  };
  EXPECT_GT(hops(Mapper::in_order), 10);
  EXPECT_LT(hops(Mapper::partition, {0, {}}), 8) << "by halves alone, without any swap";
  EXPECT_LT(hops(Mapper::partition), 5.5);
}

// Some places are taken, on both sides of each cut.
TEST(FatTree, many_groups_find_leaves_where_capacities_differ) {
  const auto map = bare(300, {1, machine::FatTree{{{10, {1e9, 1e-7}}}}});
  const Topology network = network_topology(map);
  const auto matrix = groups(240, 8, 3);
  std::vector<int> capacity(300, 1);
  for (std::size_t place = 0; place < capacity.size(); place += 10) capacity[place] = capacity[place + 5] = 0;
  const MappingProblem problem{&matrix, &network, capacity};
  const auto place_of = map_processes(Mapper::partition, problem);
  for (const int place : place_of) EXPECT_EQ(capacity[static_cast<std::size_t>(place)], 1);
  EXPECT_EQ(std::set(place_of.begin(), place_of.end()).size(), 240U);
  EXPECT_LT(sorted_congestions(problem, place_of).front(),
            sorted_congestions(problem, map_processes(Mapper::in_order, problem)).front() / 2);
}

/// Two GPUs on a package, and a network card each.
machine::NodeType two_rails() {
  using machine::LinkKind;
  using machine::VertexKind;
  machine::NodeType type{.name = "two rails", .vertices = {}, .links = {}, .measurements = {}, .exchange_rates = {}};
  type.vertices.push_back({VertexKind::package, "CPU", 0, 2, -1});
  for (int side = 0; side < 2; ++side) {
    const int at = static_cast<int>(type.vertices.size());
    type.vertices.push_back({VertexKind::pci_switch, "switch", 0, 0, -1});
    type.vertices.push_back({VertexKind::device, "GPU", 0, 0, -1});
    type.vertices.push_back({VertexKind::nic, "card", 0, 0, -1});
    type.links.push_back({at, 0, LinkKind::pcie, 8e9, 1e-6});
    type.links.push_back({at + 1, at, LinkKind::pcie, 16e9, 1e-6});
    type.links.push_back({at + 2, at, LinkKind::pcie, 16e9, 1e-6});
  }
  return type;
}

double of_level(const Quality& quality, machine::LinkKind kind) {
  for (const auto& level : quality.levels) {
    if (level.level == to_string(kind)) return level.maximum;
  }
  return 0;
}

TEST(Rails, gpus_send_over_their_own) {
  auto map = machine_of({two_rails()}, {0, 0});
  map.network = {4e9, 2e-6, {2, machine::Crossbar{}}};
  CommunicationMatrix matrix(4);
  matrix.add(0, 2, 1000);
  matrix.add(1, 3, 1000);
  JobRequest request{
      .machine = &map, .cpu = nullptr, .gpu = &matrix, .free = {}, .strategy = {}, .mappers = {}, .effort = {}};
  const std::vector<Seat> apart{{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(of_level(assess(request, apart).gpu, machine::LinkKind::network), 1000 / 2e9);
  const std::vector<Seat> shared{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(of_level(assess(request, shared).gpu, machine::LinkKind::network), 2000 / 2e9);
  EXPECT_DOUBLE_EQ(network_topology(map).channels().front().bandwidth, 4e9) << "both rails as one";
}

TEST(Rack, what_gpus_send_over_its_switch_stays_off_the_network) {
  machine::NodeType type = two_rails();
  const int link_switch = static_cast<int>(type.vertices.size());
  type.vertices.push_back({machine::VertexKind::link_switch, "NVSwitch", 0, 0, -1});
  for (const int device : type.device_vertices()) {
    type.vertices[static_cast<std::size_t>(device)].load_store_domain = 0;
    type.links.push_back({device, link_switch, machine::LinkKind::nvlink, 100e9, 1e-6});
  }
  auto map = machine_of({type}, {0, 0, 0});
  map.nodes[0].rack = map.nodes[1].rack = 0;
  map.nodes[2].rack = 1;
  CommunicationMatrix matrix(3);
  matrix.add(0, 1, 500);
  matrix.add(0, 2, 1000);
  const JobRequest request{
      .machine = &map, .cpu = &matrix, .gpu = &matrix, .free = {}, .strategy = {}, .mappers = {}, .effort = {}};
  const auto quality = assess(request, {{0, 0, 0}, {1, 0, 1}, {2, 0, 0}});
  EXPECT_DOUBLE_EQ(of_level(quality.gpu, machine::LinkKind::nvlink), 500 / 100e9);
  EXPECT_DOUBLE_EQ(of_level(quality.gpu, machine::LinkKind::network), 1000 / 4e9);
  EXPECT_DOUBLE_EQ(of_level(quality.cpu, machine::LinkKind::network), 1500 / 4e9);
  EXPECT_EQ(quality.gpu.hop_bytes, 2 * 500 + 2 * 1000);
}

}  // namespace
}  // namespace halocline::mapping

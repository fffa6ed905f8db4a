// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "machine/machine_map.hpp"
#include "machine/names.hpp"

namespace halocline::test {

/// Seeded numbers that do not depend on the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// From 0 to below - 1.
  int below(int below) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(below)); }
  bool coin() { return below(2) == 0; }
  /// Above 0, with all digits significant, to detect lossy conversions.
  double rate() { return (1 + below(1000)) * 1e9 / (1 + below(97)); }

 private:
  std::mt19937_64 engine_;
};

/// A node of fully connected packages with devices, and additional random links.
inline machine::NodeType random_type(Random& random) {
  using namespace machine;
  NodeType type;
  type.name = "type \"" + std::to_string(random.below(100)) + "\" \xc3\xa9";
  const int packages = 1 + random.below(3);
  for (int p = 0; p < packages; ++p) {
    type.vertices.push_back({VertexKind::package, "package", 0, random.below(64), -1});
    if (p > 0) type.links.push_back({p - 1, p, LinkKind::inter_package, random.rate(), 1e-9 * random.below(1000)});
  }
  const int others = 1 + random.below(8);
  for (int i = 0; i < others; ++i) {
    const VertexKind kind =
        i == 0 ? VertexKind::device : all_vertex_kinds.at(static_cast<std::size_t>(1 + random.below(5)));
    const int vertex = static_cast<int>(type.vertices.size());
    const std::int64_t memory = random.coin() ? (std::int64_t{1} << 40) + random.below(1 << 30) : 0;
    type.vertices.push_back({kind, "vertex " + std::to_string(vertex), memory, random.below(3),
                             kind == VertexKind::device ? random.below(3) - 1 : -1});
    const auto link_kind = all_link_kinds.at(static_cast<std::size_t>(random.below(5)));
    type.links.push_back({vertex, random.below(packages), link_kind, random.rate(), 1e-9 * random.below(1000)});
    if (random.coin()) {
      type.links.push_back({random.below(vertex), vertex, link_kind, random.rate(), 1e-9 * random.below(1000)});
    }
    if (kind == VertexKind::device && random.coin()) type.links.push_back({vertex, vertex, LinkKind::memory, 1e12, 0});
  }
  const int devices = type.device_count();
  for (int from = 0; from < devices; ++from) {
    if (random.coin()) type.measurements.push_back({from, random.below(devices), "copy", random.rate(), 1e-6});
    if (random.coin()) type.measurements.push_back({from, random.below(devices), "ipc_copy", random.rate(), 0});
    if (!random.coin()) continue;
    // Differ in traffic and memory only.
    type.measurements.push_back({from, Measurement::host, "pinned", random.rate(), 0, Traffic::two_way, -1, 1 << 20});
    type.measurements.push_back({from, Measurement::host, "pinned", random.rate(), 0, Traffic::all_pairs});
    for (int v = 0; v < static_cast<int>(type.vertices.size()); ++v) {
      if (type.vertices[static_cast<std::size_t>(v)].kind != VertexKind::numa) continue;
      type.measurements.push_back({Measurement::host, from, "pinned", random.rate(), 1e-6, Traffic::one_way, v, 8});
    }
  }
  for (const HaloPath path : all_halo_paths) {
    for (const bool beside : {false, true}) {
      if (random.coin()) {
        type.exchange_rates.push_back(
            {path, HaloRows::long_rows, beside, 16, random.rate(), 1e-7 * random.below(99), 1e-6});
      }
      if (random.coin()) type.exchange_rates.push_back({path, HaloRows::short_rows, beside, 1, random.rate(), 0, 0});
    }
  }
  if (random.coin()) {
    type.exchange_rates.push_back({HaloPath::link, HaloRows::packed_rows, true, 4, random.rate(), 3e-6, 2e-6});
  }
  return type;
}

/// A fabric with room for `nodes` nodes; as many rails as a node type can have network cards for.
inline machine::Fabric random_fabric(Random& random, int nodes, int most_rails) {
  using namespace machine;
  const auto link = [&] { return LinkRate{random.rate(), 1e-9 * random.below(1000)}; };
  Fabric fabric;
  fabric.rails = 1 + random.below(most_rails);
  const int per_router = 1 + random.below(3);
  const int routers = (nodes + per_router - 1) / per_router;
  switch (random.below(4)) {
    case 0: return fabric;
    case 1: {
      FatTree tree;
      for (int levels = 1 + random.below(3); levels > 0; --levels) tree.levels.push_back({1 + random.below(4), link()});
      fabric.shape = tree;
      return fabric;
    }
    case 2: {
      const int per_group = 1 + random.below(4);
      fabric.shape = Dragonfly{per_router,          per_group, (routers + per_group - 1) / per_group + random.below(3),
                               1 + random.below(5), link(),    link()};
      return fabric;
    }
    default: {
      Torus torus{per_router, {}};
      for (int places = 1; places < routers || torus.dimensions.empty();) {
        torus.dimensions.push_back({1 + random.below(5), link()});
        places *= torus.dimensions.back().length;
      }
      fabric.shape = torus;
      return fabric;
    }
  }
}

/// A map that passes its check().
inline machine::MachineMap random_machine(std::uint64_t seed) {
  using namespace machine;
  Random random(seed);
  MachineMap map;
  map.name = "machine\n" + std::to_string(seed);
  const int types = 1 + random.below(3);
  for (int t = 0; t < types; ++t) map.types.push_back(random_type(random));
  const int nodes = 1 + random.below(6);
  for (int n = 0; n < nodes; ++n) {
    NodeEntry node{
        (random.coin() ? "node-" : "other-") + std::to_string(n), random.below(types), {}, random.below(3) - 1};
    const int devices = map.types[static_cast<std::size_t>(node.type)].device_count();
    if (random.coin()) {
      for (int d = 0; d < devices; ++d) node.device_uuids.push_back("uuid " + std::to_string(d));
    }
    map.nodes.push_back(node);
    const int ranks = random.below(4);
    for (int r = 0; r < ranks; ++r) {
      RankEntry rank{node_id(n), {}};
      for (int d = devices - 1; d >= 0; --d) {
        if (random.coin()) rank.devices.emplace_back(d);
      }
      map.ranks.push_back(rank);
    }
  }
  int nics = 1 << 10;
  for (const NodeEntry& node : map.nodes) {
    const auto& vertices = map.types[static_cast<std::size_t>(node.type)].vertices;
    nics = std::min(nics, static_cast<int>(std::ranges::count(vertices, VertexKind::nic, &Vertex::kind)));
  }
  map.network.bandwidth = random.rate();
  map.network.latency = 1e-7 * random.below(100);
  if (random.coin()) {
    map.software = {random.rate(),          random.rate(),          1e-7 * random.below(9),
                    1e-7 * random.below(9), 1e-7 * random.below(9), 1e-7 * random.below(9),
                    random.coin(),          random.coin(),          random.coin()};
  }
  map.network.fabric = random_fabric(random, nodes, std::max(nics, 1));
  if (random.coin()) map.sources = {"one", "two"};
  map.check();
  return map;
}

}  // namespace halocline::test

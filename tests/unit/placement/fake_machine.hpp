// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "machine/machine_map.hpp"

namespace halocline::placement {

/// A node of devices with a rate between each two: rates[a * n + b] in GB/s; the diagonal is memory.
inline machine::NodeType node_with_rates(const std::vector<double>& rates) {
  machine::NodeType type;
  type.name = "fake";
  type.vertices.push_back({.kind = machine::VertexKind::package, .name = "package 0"});
  int n = 0;
  while (n * n < static_cast<int>(rates.size())) ++n;
  for (int a = 0; a < n; ++a) {
    type.vertices.push_back({.kind = machine::VertexKind::device, .name = "device"});
    type.links.push_back({.a = 0, .b = a + 1, .kind = machine::LinkKind::pcie, .bandwidth = 1e9, .latency = 1e-6});
    for (int b = 0; b < n; ++b) {
      const double rate = rates[static_cast<std::size_t>(a * n + b)];
      type.measurements.push_back({.from = a, .to = b, .method = "copy", .bandwidth = rate * 1e9, .latency = 1e-6});
    }
  }
  return type;
}

/// Devices in groups: fast within, slow between.
inline machine::NodeType node_of_groups(int devices, int group, double fast, double slow) {
  std::vector<double> rates;
  for (int a = 0; a < devices; ++a) {
    for (int b = 0; b < devices; ++b) rates.push_back(a == b ? 1000 : (a / group == b / group ? fast : slow));
  }
  return node_with_rates(rates);
}

/// Nodes of one type with ranks that share their devices evenly, in order.
inline machine::MachineMap machine_of(const machine::NodeType& type, int nodes, int devices, int ranks) {
  machine::MachineMap map;
  map.name = "fake";
  map.types.push_back(type);
  for (int node = 0; node < nodes; ++node) {
    machine::NodeEntry& named = map.nodes.emplace_back();
    named.name = "node" + std::to_string(node);
    for (int rank = 0; rank < ranks; ++rank) {
      machine::RankEntry entry{.node = node_id(node), .devices = {}};
      for (int d = rank * devices / ranks; d < (rank + 1) * devices / ranks; ++d) {
        entry.devices.emplace_back(d);
      }
      map.ranks.push_back(entry);
    }
  }
  return map;
}

}  // namespace halocline::placement

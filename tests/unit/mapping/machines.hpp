// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include "mapping/job.hpp"

namespace halocline::mapping {

/// Two packages with a NUMA node each, and GPUs in pairs behind PCIe switches, equally many on each package. GPUs are
/// numbered by package.
inline machine::NodeType dual_node(int cores_of_package, int gpus) {
  using machine::LinkKind;
  using machine::VertexKind;
  machine::NodeType type;
  type.name = fmt::format("{} cores, {} GPUs", 2 * cores_of_package, gpus);
  type.links.push_back({0, 1, LinkKind::inter_package, 16e9, 1e-7});
  for (int p = 0; p < 2; ++p) type.vertices.push_back({VertexKind::package, "", 0, cores_of_package, -1});
  for (int p = 0; p < 2; ++p) {
    type.vertices.push_back({VertexKind::numa, "", std::int64_t{1} << 37, cores_of_package, -1});
    type.links.push_back({2 + p, p, LinkKind::memory, 50e9, 1e-7});
  }
  for (int pair = 0; pair < gpus / 2; ++pair) {
    const int at = static_cast<int>(type.vertices.size());
    type.vertices.push_back({VertexKind::pci_switch, "", 0, 0, -1});
    type.links.push_back({at, 2 * pair < gpus / 2 ? 0 : 1, LinkKind::pcie, 15e9, 1e-6});
    for (int gpu = 1; gpu <= 2; ++gpu) {
      type.vertices.push_back({VertexKind::device, "", std::int64_t{12} << 30, 0, 0});
      type.links.push_back({at + gpu, at, LinkKind::pcie, 12e9, 1e-6});
    }
  }
  return type;
}

inline machine::MachineMap machine_of(std::vector<machine::NodeType> types, const std::vector<int>& type_of_node) {
  machine::MachineMap map;
  map.name = "test";
  map.types = std::move(types);
  for (std::size_t n = 0; n < type_of_node.size(); ++n)
    map.nodes.push_back({fmt::format("n{}", n), type_of_node[n], {}, -1});
  map.network = {4e9, 2e-6};
  return map;
}

/// 4 nodes with 24 cores and 16 GPUs: cluster A of the MAGC paper. The links within a node are assumed.
inline machine::MachineMap cluster_a() { return machine_of({dual_node(12, 16)}, {0, 0, 0, 0}); }
/// 8 nodes with 20 cores and 8 GPUs.
inline machine::MachineMap cluster_b() { return machine_of({dual_node(10, 8)}, std::vector<int>(8, 0)); }

}  // namespace halocline::mapping

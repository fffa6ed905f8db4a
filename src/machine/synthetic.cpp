// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "core/checked.hpp"
#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "machine/machine_map.hpp"
#include "machine/synthetic.hpp"

namespace halocline::machine {
namespace {

// Round numbers that describe no particular machine, in the proportions of GPU nodes of the 2020s.
constexpr double memory_bandwidth = 2e12;
constexpr double memory_latency = 0.5e-6;
constexpr double switch_bandwidth = 300e9;
constexpr double switch_latency = 0.5e-6;
constexpr double host_bandwidth = 25e9;
constexpr double host_latency = 1e-6;
constexpr std::int64_t device_memory = std::int64_t{64} << 30;
constexpr double network_bandwidth = 25e9;
constexpr double network_latency = 2e-6;

void check_count(std::int64_t value, const char* what, std::int64_t most) {
  if (value < 1 || value > most) throw InvalidArgument(fmt::format("{} is {}; allowed is 1 to {}", what, value, most));
}

NodeType switched_node(int devices) {
  NodeType type;
  type.name = fmt::format("{} devices, one switch", devices);
  type.vertices.push_back({VertexKind::package, "package 0", 0, 0, -1});
  type.vertices.push_back({VertexKind::link_switch, "switch 0", 0, 0, -1});
  for (int d = 0; d < devices; ++d) {
    const int vertex = 2 + d;
    type.vertices.push_back({VertexKind::device, fmt::format("device {}", d), device_memory, 0, 0});
    type.links.push_back({vertex, vertex, LinkKind::memory, memory_bandwidth, memory_latency});
    type.links.push_back({vertex, 1, LinkKind::nvlink, switch_bandwidth, switch_latency});
    type.links.push_back({vertex, 0, LinkKind::pcie, host_bandwidth, host_latency});
  }
  type.vertices.push_back({VertexKind::nic, "nic 0", 0, 0, -1});
  type.links.push_back({2 + devices, 0, LinkKind::pcie, network_bandwidth, host_latency});
  return type;
}

}  // namespace

MachineMap synthetic(const SyntheticRequest& request) {
  check_count(request.nodes, "nodes", limits::nodes);
  check_count(request.devices_per_node, "devices_per_node", limits::devices_of_node);
  check_count(request.nodes * request.devices_per_node, "nodes times devices_per_node", limits::devices);
  MachineMap map;
  map.name = fmt::format("synthetic {} x {}", request.nodes, request.devices_per_node);
  map.types.push_back(switched_node(checked_cast<int>(request.devices_per_node, "devices_per_node")));
  for (std::int64_t n = 0; n < request.nodes; ++n) map.nodes.push_back({fmt::format("node-{}", n), 0, {}, -1});
  map.network = {network_bandwidth, network_latency, {}};
  map.sources = {"all rates: assumed, of no particular machine"};
  assign_ranks(map, request.ranks_per_node);
  return map;
}

void assign_ranks(MachineMap& map, std::int64_t ranks_per_node) {
  check_count(ranks_per_node, "ranks_per_node", limits::devices_of_node);
  std::vector<std::int64_t> devices_of_type;
  for (const NodeType& type : map.types) devices_of_type.push_back(type.device_count());
  std::vector<RankEntry> ranks;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    const std::int64_t devices = devices_of_type.at(static_cast<std::size_t>(map.nodes[n].type));
    if (devices == 0 || devices % ranks_per_node != 0) {
      throw InvalidArgument(
          fmt::format("ranks_per_node is {}; allowed are numbers that divide the {} devices of node {} ('{}')",
                      ranks_per_node, devices, n, map.nodes[n].name));
    }
    const std::int64_t each = devices / ranks_per_node;
    for (std::int64_t r = 0; r < ranks_per_node; ++r) {
      RankEntry rank{node_id(static_cast<std::int64_t>(n)), {}};
      for (std::int64_t d = 0; d < each; ++d) rank.devices.emplace_back(r * each + d);
      ranks.push_back(std::move(rank));
    }
  }
  map.ranks = std::move(ranks);
}

}  // namespace halocline::machine

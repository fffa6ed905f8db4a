// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <map>
#include <utility>
#include <variant>

#include "halocline/error.hpp"
#include "machine/found_network.hpp"
#include "machine/synthetic.hpp"

namespace halocline::machine {
namespace {

/// Seconds of a link between switches: the order of magnitude, as the maps that come with Halocline have it.
constexpr double assumed_latency = 3e-7;

/// Sets missing rates of an uplink to the sum of the rates of all nodes below its switch.
void complete(FatTree& tree, double of_node, std::vector<std::string>& sources) {
  double below = of_node;
  bool assumed = false;
  bool latency_assumed = false;
  for (FatTreeLevel& level : tree.levels) {
    below *= level.children;
    if (level.uplinks.bandwidth == 0) {
      level.uplinks.bandwidth = below;
      assumed = true;
    }
    if (level.uplinks.latency == 0) {
      level.uplinks.latency = assumed_latency;
      latency_assumed = true;
    }
  }
  if (assumed) sources.emplace_back("uplinks of switches: assumed as fast as all nodes below them");
  if (latency_assumed)
    sources.push_back(fmt::format("latency of uplinks without one: assumed, {:.2g} us", assumed_latency * 1e6));
}

/// The nodes become the hosts.
void rename(MachineMap& map, const FoundNetwork& network) {
  if (map.types.size() != 1) {
    throw InvalidArgument(
        fmt::format("no node of '{}' is a host of the network, and its nodes are of {} kinds; allowed is one kind, or "
                    "nodes with hosts' names",
                    map.name, map.types.size()));
  }
  const std::size_t ranks = map.ranks.size() / map.nodes.size();
  map.nodes.clear();
  for (const auto& host : network.hosts) {
    NodeEntry node;
    node.name = host.name;
    node.port = host.port;
    map.nodes.push_back(std::move(node));
  }
  map.ranks.clear();
  if (ranks > 0) assign_ranks(map, static_cast<std::int64_t>(ranks));
}

}  // namespace

MachineMap with_network(MachineMap map, const FoundNetwork& network) {
  std::map<std::string, int> ports;
  for (const auto& host : network.hosts) ports[host.name] = host.port;
  std::size_t known = 0;
  const NodeEntry* stranger = nullptr;
  for (NodeEntry& node : map.nodes) {
    // Names of hosts may lack the domain in one of the two.
    const auto port =
        ports.contains(node.name) ? ports.find(node.name) : ports.find(node.name.substr(0, node.name.find('.')));
    if (port == ports.end()) {
      stranger = &node;
      continue;
    }
    node.port = port->second;
    ++known;
  }
  if (known == 0) {
    rename(map, network);
  } else if (stranger != nullptr) {
    throw InvalidArgument(fmt::format(
        "node '{}' is no host of the network, but others are; allowed are nodes that all are", stranger->name));
  }
  if (network.bandwidth > 0) map.network.bandwidth = network.bandwidth;
  if (network.latency > 0) map.network.latency = network.latency;
  map.network.fabric = network.fabric;
  map.sources.insert(map.sources.end(), network.notes.begin(), network.notes.end());
  if (auto* tree = std::get_if<FatTree>(&map.network.fabric.shape)) complete(*tree, map.network.bandwidth, map.sources);
  map.check();
  return map;
}

}  // namespace halocline::machine

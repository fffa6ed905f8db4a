// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/detail/merge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/limits.hpp"
#include "core/printable.hpp"
#include "core/utf8.hpp"
#include "discovery/detail/gpu_links.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

bool memory_alike(std::int64_t a, std::int64_t b) {
  const std::int64_t larger = std::max(a, b);
  return larger - std::min(a, b) <= larger / 64;
}

bool alike(const Vertex& a, const Vertex& b) {
  return a.kind == b.kind && a.cores == b.cores && a.load_store_domain == b.load_store_domain &&
         memory_alike(a.memory_bytes, b.memory_bytes) && (a.kind != VertexKind::device || a.name == b.name);
}

bool alike(const NodeType& a, const NodeType& b) {
  return a.links == b.links && a.measurements == b.measurements && a.exchange_rates == b.exchange_rates &&
         std::equal(a.vertices.begin(), a.vertices.end(), b.vertices.begin(), b.vertices.end(),
                    [](const Vertex& x, const Vertex& y) { return alike(x, y); });
}

/// Returns the first type that matches the node's type, or adds a new one. The first match wins, so the result depends
/// on the order of nodes.
int type_for(const NodeType& type, std::vector<NodeType>& types) {
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (alike(types[t], type)) return static_cast<int>(t);
  }
  types.push_back(type);
  types.back().name = fmt::format("{} {}", type.name, types.size() - 1);
  return static_cast<int>(types.size() - 1);
}

/// By node: the same number for nodes that share an NVLink fabric; -1 for a node alone in its fabric, and for virtual nodes of one
/// host, unless virtual_rack: then those share a number, too.
std::vector<int> racks_of(const std::vector<NodeReport>& nodes, bool virtual_rack) {
  const auto fabric = [&](const NodeReport& node) {
    return virtual_rack && node.fabric.empty() ? "host " + node.name : node.fabric;
  };
  const auto joins = [&](const NodeReport& node) {
    const auto same_host = [&](const NodeReport& other) { return other.name == node.name; };
    return virtual_rack || (!node.fabric.empty() && std::count_if(nodes.begin(), nodes.end(), same_host) == 1);
  };
  std::vector<int> racks(nodes.size(), -1);
  int next = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (racks[n] >= 0 || !joins(nodes[n])) continue;
    for (std::size_t m = n + 1; m < nodes.size(); ++m) {
      if (joins(nodes[m]) && fabric(nodes[m]) == fabric(nodes[n])) racks[n] = racks[m] = next;
    }
    if (racks[n] >= 0) ++next;
  }
  return racks;
}

/// Names as the system has them may be any bytes; these of a map are text.
void make_text(MachineMap& map) {
  const auto make = [](std::string& text) {
    if (find_no_utf8(text) != std::string::npos) text = printable(text, limits::name_bytes - 64);
  };
  make(map.name);
  for (NodeType& type : map.types) {
    make(type.name);
    for (Vertex& vertex : type.vertices) make(vertex.name);
  }
  for (NodeEntry& node : map.nodes) make(node.name);
  for (std::string& source : map.sources) make(source);
}

}  // namespace

NodeReport merge_node(HostProbe host, std::string name, std::vector<RankDevices> ranks) {
  std::sort(ranks.begin(), ranks.end(), [](const RankDevices& a, const RankDevices& b) { return a.rank < b.rank; });
  NodeReport report;
  report.name = std::move(name);
  std::vector<DeviceProbe> devices;
  std::map<std::string, std::size_t> known;
  for (const RankDevices& rank : ranks) {
    NodeReport::Rank entry{rank.rank, {}};
    for (const DeviceProbe& device : rank.devices) {
      std::size_t index = devices.size();
      if (!device.uuid.empty()) index = known.emplace(device.uuid, index).first->second;
      const device_id id(static_cast<std::int64_t>(index));
      if (std::find(entry.devices.begin(), entry.devices.end(), id) != entry.devices.end()) {
        throw InvalidArgument(fmt::format("rank {} lists device '{}' (uuid {}) twice; allowed is each device once",
                                          rank.rank, device.name, device.uuid));
      }
      entry.devices.push_back(id);
      if (index == devices.size()) {
        devices.push_back(device);
        report.device_uuids.push_back(device.uuid);
      } else {  // what each process could reach, and could not, adds up
        const auto add = [](std::vector<std::string>& all, const std::vector<std::string>& more) {
          all.insert(all.end(), more.begin(), more.end());
        };
        add(devices[index].no_access, device.no_access);
        add(devices[index].access, device.access);
      }
    }
    report.ranks.push_back(std::move(entry));
  }
  std::vector<NvmlReport> told;
  told.reserve(ranks.size());
  for (RankDevices& rank : ranks) told.push_back(std::move(rank.nvml));
  const NvmlReport nvml = merge(told);
  attach(host, devices, nvml);
  report.type = std::move(host.type);
  report.fabric = fabric_of(devices, nvml);
  const auto gpu = [](const DeviceProbe& device) { return device.kind == DeviceKind::cuda; };
  if (std::any_of(devices.begin(), devices.end(), gpu)) report.sources.push_back(source(nvml));
  return report;
}

MachineMap merge_nodes(std::vector<NodeReport> nodes, std::int64_t size, bool virtual_rack) {
  std::erase_if(nodes, [](const NodeReport& node) { return node.ranks.empty(); });
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeReport& a, const NodeReport& b) { return a.ranks.front().rank < b.ranks.front().rank; });
  MachineMap map;
  map.ranks.resize(static_cast<std::size_t>(size));
  std::map<std::string, int> of_name;
  for (const NodeReport& node : nodes) ++of_name[node.name];
  std::map<std::string, int> seen;
  // Virtual nodes have the same host name; users need to tell them apart, also from a host that has such a name by itself.
  const auto own_name = [&](const std::string& host) {
    if (of_name[host] == 1) return host;
    std::string numbered;
    do {
      numbered = fmt::format("{}-{}", host, seen[host]++);
    } while (of_name.contains(numbered));
    return numbered;
  };
  const std::vector<int> racks = racks_of(nodes, virtual_rack);
  for (const NodeReport& node : nodes) {
    const node_id id(static_cast<std::int64_t>(map.nodes.size()));
    const std::string name = own_name(node.name);
    map.nodes.push_back({name, type_for(node.type, map.types), node.device_uuids, racks[id.index()]});
    for (const NodeReport::Rank& rank : node.ranks) {
      if (rank.rank < 0 || rank.rank >= size || map.ranks[static_cast<std::size_t>(rank.rank)].node.valid()) {
        throw InvalidArgument(
            fmt::format("rank {} of node '{}' is in two nodes or beyond the {} ranks", rank.rank, name, size));
      }
      map.ranks[static_cast<std::size_t>(rank.rank)] = {id, rank.devices};
    }
  }
  for (std::size_t r = 0; r < map.ranks.size(); ++r) {
    if (!map.ranks[r].node.valid()) throw InvalidArgument(fmt::format("rank {} is in no node", r));
  }
  map.name = nodes.size() == 1 ? nodes.front().name : fmt::format("{} nodes like {}", nodes.size(), nodes.front().name);
  map.sources = host_sources();
  for (std::string& source : device_sources()) map.sources.push_back(std::move(source));
  for (const NodeReport& node : nodes) {
    for (const std::string& source : node.sources) {
      if (std::find(map.sources.begin(), map.sources.end(), source) == map.sources.end()) map.sources.push_back(source);
    }
  }
  map.sources.emplace_back("network: nominal, one 100 Gbit/s port a node, not measured");
  make_text(map);
  map.check();
  return map;
}

}  // namespace halocline::machine

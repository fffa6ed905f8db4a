// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "machine/detail/checks.hpp"
#include "machine/fabric/links.hpp"

namespace halocline::machine {
namespace {

void check_link(const std::string& path, const LinkRate& link) { check_rates(path, link.bandwidth, link.latency); }

void check_count(const std::string& path, int count, std::int64_t most = limits::fabric_count) {
  if (count < 1 || count > most) refuse(path, count, fmt::format("1 to {}", most));
}

/// At most one more than limits::fabric_places.
std::int64_t times(std::int64_t places, int factor) { return std::min(places * factor, limits::fabric_places + 1); }

// Each function checks a shape and returns how many nodes it has room for.

std::int64_t check_shape(const std::string&, const Crossbar&) { return limits::fabric_places; }

std::int64_t check_shape(const std::string& path, const FatTree& tree) {
  if (tree.levels.empty()) refuse(path + ".levels", "empty", "one level or more");
  check_at_most(path + ".levels", tree.levels.size(), "entries", limits::fabric_levels);
  for (std::size_t l = 0; l < tree.levels.size(); ++l) {
    const std::string at = fmt::format("{}.levels[{}]", path, l);
    check_count(at + ".children", tree.levels[l].children);
    check_link(at, tree.levels[l].uplinks);
  }
  return limits::fabric_places;
}

std::int64_t check_shape(const std::string& path, const Dragonfly& dragonfly) {
  check_count(path + ".nodes_per_router", dragonfly.nodes_per_router);
  check_count(path + ".routers_per_group", dragonfly.routers_per_group);
  check_count(path + ".groups", dragonfly.groups);
  check_count(path + ".links_per_pair", dragonfly.links_per_pair);
  check_link(path + ".local", dragonfly.local);
  check_link(path + ".global", dragonfly.global);
  return times(times(dragonfly.nodes_per_router, dragonfly.routers_per_group), dragonfly.groups);
}

std::int64_t check_shape(const std::string& path, const Torus& torus) {
  check_count(path + ".nodes_per_router", torus.nodes_per_router);
  if (torus.dimensions.empty()) refuse(path + ".dimensions", "empty", "one dimension or more");
  check_at_most(path + ".dimensions", torus.dimensions.size(), "entries", limits::fabric_levels);
  std::int64_t places = torus.nodes_per_router;
  for (std::size_t d = 0; d < torus.dimensions.size(); ++d) {
    const std::string at = fmt::format("{}.dimensions[{}]", path, d);
    check_count(at + ".length", torus.dimensions[d].length, limits::torus_length);
    check_link(at, torus.dimensions[d].link);
    places = times(places, torus.dimensions[d].length);
  }
  return places;
}

int nics_of(const NodeType& type) {
  return static_cast<int>(
      std::ranges::count_if(type.vertices, [](const Vertex& v) { return v.kind == VertexKind::nic; }));
}

/// Either no node has a port, or each its own.
void check_ports(const MachineMap& map, std::int64_t places) {
  const bool any = std::ranges::any_of(map.nodes, [](const NodeEntry& node) { return node.port != -1; });
  if (!any) return;
  std::set<int> seen;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    const int port = map.nodes[n].port;
    const std::string at = fmt::format("nodes[{}].port", n);
    if (port < 0 || port >= places) refuse(at, port, fmt::format("0 to {}, as some nodes have ports", places - 1));
    if (!seen.insert(port).second) refuse(at, port, "each port once");
  }
}

}  // namespace

void check_software(const Software& software) {
  for (const auto& [name, value, most] :
       {std::tuple{"mpi_copy", software.mpi_copy, limits::bandwidth},
        std::tuple{"mpi_injection", software.mpi_injection, limits::bandwidth},
        std::tuple{"mpi_latency", software.mpi_latency, limits::latency},
        std::tuple{"mpi_device_latency", software.mpi_device_latency, limits::latency},
        std::tuple{"mpi_overhead", software.mpi_overhead, limits::latency},
        std::tuple{"device_launch", software.device_launch, limits::latency}}) {
    check_from_0(fmt::format("software.{}", name), value, most);
  }
}

void check_network(const MachineMap& map) {
  check_rates("network", map.network.bandwidth, map.network.latency);
  const Fabric& fabric = map.network.fabric;
  const std::string path = "network.fabric";
  check_count(path + ".rails", fabric.rails);
  const std::int64_t places = std::visit([&](const auto& shape) { return check_shape(path, shape); }, fabric.shape);
  if (places > limits::fabric_places) {
    refuse(path, "too large", fmt::format("at most {} places for nodes", limits::fabric_places));
  }
  check_ports(map, places);
  if (std::cmp_less(places, map.nodes.size())) {
    refuse("nodes", fmt::format("{} entries", map.nodes.size()),
           fmt::format("{} at most, as many as {} has places", places, path));
  }
  const std::int64_t links = make_fabric_links(fabric.shape, map.port_count())->count();
  for (const std::int64_t rails : {std::int64_t{1}, std::int64_t{fabric.rails}}) {  // so that the product fits
    check_at_most(path, rails * links, "links in all", limits::fabric_links);
  }
  if (fabric.rails == 1) return;
  for (const NodeEntry& node : map.nodes) {
    const int nics = nics_of(map.types[static_cast<std::size_t>(node.type)]);
    if (fabric.rails > nics) {
      refuse(path + ".rails", fabric.rails,
             fmt::format("1, or no more than types[{}] has network cards ({})", node.type, nics));
    }
  }
}

}  // namespace halocline::machine

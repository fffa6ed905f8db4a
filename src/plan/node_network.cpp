// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/node_network.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "core/at.hpp"
#include "mapping/refine.hpp"
#include "plan/detail/slots.hpp"

namespace halocline {
namespace {

/// Messages between nodes whose ways are followed: about a second.
constexpr std::int64_t most_followed = 1'000'000;

/// Islands of nodes whose devices reach each other without the network, by load and store: for each node the first one of its island.
std::vector<int> islands_of(const machine::MachineMap& map, const std::vector<placement::Slot>& slots,
                            const std::vector<int>& first) {
  std::vector<int> island(first.size() - 1);
  std::vector<std::size_t> in_racks;  // the first node of each island of a rack
  for (std::size_t n = 0; n < island.size(); ++n) {
    island[n] = static_cast<int>(n);
    const int rack = map.nodes[slots[at(first[n])].node.index()].rack;
    if (rack < 0) continue;
    const auto joins = [&](std::size_t other) {
      if (map.nodes[slots[at(first[other])].node.index()].rack != rack) return false;
      for (int a = first[other]; a < first[other + 1]; ++a) {
        for (int b = first[n]; b < first[n + 1]; ++b) {
          const placement::Slot& one = slots[at(a)];
          const placement::Slot& two = slots[at(b)];
          if (!map.share_load_store(one.node, one.device, two.node, two.device)) return false;
        }
      }
      return true;
    };
    const auto found = std::ranges::find_if(in_racks, joins);
    if (found == in_racks.end()) {
      in_racks.push_back(n);
    } else {
      island[n] = static_cast<int>(*found);
    }
  }
  return island;
}

/// Each node's part as one subdomain.
partition::Partition parts_of_nodes(const partition::Partition& parts) {
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (int dim = 0; dim < 3; ++dim) {
    const std::vector<std::int64_t>& all = parts.cuts(dim);
    for (std::size_t k = 0; k < all.size(); k += at(parts.device_grid()[dim])) cuts[at(dim)].push_back(all[k]);
  }
  return {parts.extent(), parts.node_grid(), {1, 1, 1}, std::move(cuts), partition::Order::row_major};
}

}  // namespace

mapping::Topology node_network(const machine::MachineMap& map, const machine::Interconnect& interconnect,
                               const std::vector<placement::Slot>& slots, const std::vector<int>& first) {
  struct Ways {
    mapping::Topology all;
    std::vector<int> nodes;  ///< place -> node of the map
    std::vector<int> island;
  };
  const auto ways = std::make_shared<Ways>(Ways{
      mapping::network_topology(interconnect, static_cast<int>(map.nodes.size())), {}, islands_of(map, slots, first)});
  mapping::Topology::Graph graph = ways->all.graph();
  const std::vector<int> vertices = std::move(graph.places);
  graph.places.clear();
  for (std::size_t n = 0; n + 1 < first.size(); ++n) {
    ways->nodes.push_back(static_cast<int>(slots[at(first[n])].node.value()));
    graph.places.push_back(vertices[at(ways->nodes.back())]);
  }
  const auto channels = ways->all.channels();
  return {std::move(graph), {channels.begin(), channels.end()}, [ways](int from, int to, std::vector<int>& route) {
            if (ways->island[at(from)] == ways->island[at(to)]) return;
            thread_local std::vector<int> scratch;
            const auto way = ways->all.route(ways->nodes[at(from)], ways->nodes[at(to)], scratch);
            route.insert(route.end(), way.begin(), way.end());
          }};
}

NetworkLoad::NetworkLoad(const machine::MachineMap& map, const std::vector<placement::Slot>& slots, double share)
    : ports_(2 * std::ssize(map.nodes)),
      network_(node_network(map, machine::Interconnect(map), slots, first_slots(slots))),
      slower_(share * map.network.fabric.rails),
      effort_(most_followed) {}

std::optional<NetworkLoad::Busiest> NetworkLoad::busiest(const PlanRequest& request,
                                                         const partition::Partition& parts) {
  const Vec3& grid = parts.node_grid();
  const std::array key{grid.x, grid.y, grid.z};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  constexpr std::int64_t messages_of_node = 26;
  if (effort_ < parts.nodes() * messages_of_node) return std::nullopt;
  effort_ -= parts.nodes() * messages_of_node;
  return known_[key] = find(request, parts);
}

NetworkLoad::Busiest NetworkLoad::find(const PlanRequest& request, const partition::Partition& parts) const {
  const partition::Geometry geometry(parts_of_nodes(parts), request.fields, request.stencil, request.boundaries,
                                     request.steps_per_exchange);
  const auto node_of = [&](subdomain_id part) {
    return static_cast<int>(parts.node_part_of(parts.at(geometry.partition.index_of(part) * parts.device_grid())));
  };
  mapping::CommunicationMatrix matrix(network_.places());
  for (std::int64_t n = 0; n < geometry.partition.size(); ++n) {
    for (const partition::Flow& flow : partition::outgoing_flows(geometry, subdomain_id(n))) {
      if (flow.from != flow.to) matrix.add(node_of(flow.from), node_of(flow.to), flow.bytes);
    }
  }
  std::vector<int> in_order(at(network_.places()));
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<std::int64_t> bytes = mapping::channel_loads(matrix, network_, in_order);
  Busiest busiest;
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    double& most = c < at(ports_) ? busiest.port : busiest.link;
    most = std::max(most, static_cast<double>(bytes[c]) / network_.channels()[c].bandwidth * slower_);
  }
  return busiest;
}

}  // namespace halocline

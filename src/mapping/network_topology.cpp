// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "core/checked.hpp"
#include "mapping/topology.hpp"

// The network as mapping sees it: the channels of one rail, as fast as all rails together.
namespace halocline::mapping {
namespace {

/// The network as a graph: switches first, then the nodes. Between each two neighbours one link: partitioners take graphs
/// without parallel edges.
Topology::Graph graph_of(const machine::Interconnect& interconnect, int nodes,
                         const std::vector<machine::Channel>& channels) {
  Topology::Graph graph;
  graph.name = "the network";
  graph.vertices = checked_cast<int>(interconnect.network_vertices(), "the number of nodes and switches");
  const int switches = graph.vertices - nodes;
  const auto number = [&](std::int64_t vertex) {
    return static_cast<int>(vertex < nodes ? switches + vertex : vertex - nodes);
  };
  for (int n = 0; n < nodes; ++n) graph.places.push_back(switches + n);
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto ends = interconnect.network_ends(interconnect.first_network_channel() + static_cast<std::int64_t>(c));
    const std::pair between(number(ends.from), number(ends.to));
    if (between.first <= between.second) continue;  // the other way round there is one, too
    const auto [link, is_new] = known.try_emplace(between, graph.links.size());
    if (is_new) {
      graph.links.push_back({between.first, between.second, channels[c], -1});
    } else {
      graph.links[link->second].each_way.bandwidth += channels[c].bandwidth;
    }
  }
  return graph;
}

}  // namespace

Topology network_topology(const machine::Interconnect& interconnect, int nodes) {
  const std::int64_t first = interconnect.first_network_channel();
  const int count = checked_cast<int>(interconnect.channels_of_rail(), "the number of channels of the network");
  std::vector<machine::Channel> channels;
  for (int c = 0; c < count; ++c) {
    channels.push_back(interconnect.channel(first + c));
    channels.back().bandwidth *= interconnect.rails();
  }
  Topology::Graph graph = graph_of(interconnect, nodes, channels);
  return {std::move(graph), std::move(channels), [interconnect, first](int from, int to, std::vector<int>& route) {
            thread_local std::vector<std::int64_t> path;
            path.clear();
            interconnect.network_route(node_id(from), node_id(to), 0, path);
            for (const std::int64_t id : path) route.push_back(static_cast<int>(id - first));
          }};
}

Topology network_topology(const machine::MachineMap& map) {
  return network_topology(machine::Interconnect(map), checked_cast<int>(map.nodes.size(), "the number of nodes"));
}

}  // namespace halocline::mapping

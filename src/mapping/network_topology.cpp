#include "halocline/core/checked.hpp"
#include "halocline/mapping/topology.hpp"

// The network as mapping sees it. Today one switch; other shapes are built here.
namespace halocline::mapping {

Topology network_topology(const machine::MachineMap& map) {
  Topology::Graph graph;
  graph.name = "the network";
  const int nodes = checked_cast<int>(map.nodes.size(), "the number of nodes");
  graph.vertices = nodes + 1;
  for (int n = 0; n < nodes; ++n) {
    graph.places.push_back(1 + n);
    // The latency of the map is that of a message, which takes two links.
    graph.links.push_back({1 + n, 0, {map.network.bandwidth, map.network.latency / 2, "network", -1}});
  }
  return Topology(graph);
}

}  // namespace halocline::mapping

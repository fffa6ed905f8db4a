#pragma once

#include <vector>

#include "halocline/mapping/topology.hpp"

namespace halocline::mapping {

/// The ways of Topology in a graph that is no tree. The width is found first, then the least latency among the links
/// that are wide enough: a way that begins narrow may still be the best one once a narrower link follows.
class RouteSearch {
 public:
  explicit RouteSearch(const Topology::Graph& graph);
  /// From a vertex to each place, as channels; empty where there is no way.
  [[nodiscard]] std::vector<std::vector<int>> routes(int from) const;

 private:
  struct Edge {
    int to;
    int channel;
    double bandwidth;
    double latency;
  };
  [[nodiscard]] bool passes(int vertex, int from) const;
  [[nodiscard]] std::vector<double> widths(int from) const;
  /// The channel by which each vertex is reached, over links of at least a width; -1: not reached.
  [[nodiscard]] std::vector<int> last_channels(int from, double width) const;

  const Topology::Graph& graph_;
  std::vector<std::vector<Edge>> edges_;
};

}  // namespace halocline::mapping

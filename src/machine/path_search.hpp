// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "halocline/machine_map.hpp"

namespace halocline::machine {

/// Vertices, and links between them that are used both ways.
struct LinkGraph {
  struct Edge {
    int a = 0;
    int b = 0;
    double bandwidth = 0;  ///< bytes a second, one direction
    double latency = 0;    ///< seconds
  };
  std::vector<bool> is_end;  ///< by vertex: no path leads through it
  std::vector<Edge> edges;   ///< those from a vertex to itself are on no path
};

/// Edge i is link i. Devices and network cards are ends: no hardware forwards through another device.
[[nodiscard]] LinkGraph link_graph(const NodeType& type);

/// Paths in a graph: of those whose narrowest link is widest the one with the least sum of latencies, of several the one
/// with the fewest links. Where several are as good in all three, it is the same one at every call.
class PathSearch {
 public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  explicit PathSearch(const LinkGraph& graph);
  [[nodiscard]] int vertices() const { return static_cast<int>(edges_.size()); }

  /// How a vertex is reached best.
  struct Reached {
    double latency = infinite;
    int links = 0;  ///< how many are passed
    int via = -1;   ///< the last of them, an edge of the graph
    int from = -1;  ///< the vertex before
  };
  /// The width of the widest path from source to each vertex; 0 where there is none, infinite for the source.
  [[nodiscard]] std::vector<double> widths(int source) const;
  /// The path of the least latency, among equals of the fewest links, over links of at least a bandwidth.
  [[nodiscard]] std::vector<Reached> fastest(int source, double least_bandwidth) const;

 private:
  struct Edge {
    int to;
    double bandwidth;
    double latency;
    int number;
  };
  [[nodiscard]] bool leaves(int vertex, int source) const {
    return vertex == source || !is_end_[static_cast<std::size_t>(vertex)];
  }

  std::vector<bool> is_end_;
  std::vector<std::vector<Edge>> edges_;  ///< by vertex
};

/// The paths from one vertex, found when they are asked for.
class PathsFrom {
 public:
  /// The search must outlive it.
  PathsFrom(const PathSearch& search, int source) : search_(search), source_(source), widths_(search.widths(source)) {}

  [[nodiscard]] const std::vector<double>& widths() const { return widths_; }
  /// Seconds; 0 to the source, infinite where there is no path.
  [[nodiscard]] double latency(int target);
  struct Step {
    int edge;
    bool forward;  ///< from its a to its b
  };
  /// The edges that are passed, in order; none to the source, nor where there is no path.
  [[nodiscard]] std::vector<Step> steps(int target, const LinkGraph& graph);

 private:
  const std::vector<PathSearch::Reached>& reached(double width);

  const PathSearch& search_;
  int source_;
  std::vector<double> widths_;
  std::map<double, std::vector<PathSearch::Reached>> by_width_;  ///< few differ
};

}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "machine/machine_map.hpp"

namespace halocline::machine {

/// Vertices and bidirectional links between them.
struct LinkGraph {
  struct Edge {
    int a = 0;
    int b = 0;
    double bandwidth = 0;  ///< bytes a second, one direction
    double latency = 0;    ///< seconds
  };
  std::vector<bool> is_end;  ///< by vertex: no path leads through it
  std::vector<Edge> edges;   ///< edges from a vertex to itself are on no path
};

/// Edge i is link i. Devices and network cards are ends: no hardware forwards through another device.
[[nodiscard]] LinkGraph link_graph(const NodeType& type);

/// Finds paths in a graph. The best path is the one whose narrowest link is widest; among these, the one with the least
/// sum of latencies; among these, the one with the fewest links. If several are equal in all three, every call returns
/// the same one.
class PathSearch {
 public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  explicit PathSearch(const LinkGraph& graph);
  [[nodiscard]] int vertices() const { return static_cast<int>(edges_.size()); }

  /// The best way to reach a vertex.
  struct Reached {
    double latency = infinite;
    int links = 0;  ///< links on the path
    int via = -1;   ///< the last link, an edge of the graph
    int from = -1;  ///< the vertex before
  };
  /// Returns the width of the widest path from source to each vertex; 0 if there is none, infinite for the source.
  [[nodiscard]] std::vector<double> widths(int source) const;
  /// Returns the path with the least latency (among equals, with the fewest links) over links of at least a given
  /// bandwidth.
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

/// The paths from one vertex, computed on demand.
class PathsFrom {
 public:
  /// The search must outlive this object.
  PathsFrom(const PathSearch& search, int source) : search_(search), source_(source), widths_(search.widths(source)) {}

  [[nodiscard]] const std::vector<double>& widths() const { return widths_; }
  /// Seconds; 0 to the source, infinite if there is no path.
  [[nodiscard]] double latency(int target);
  struct Step {
    int edge;
    bool forward;  ///< from its a to its b
  };
  /// Returns the edges of the path, in order; none to the source, or if there is no path.
  [[nodiscard]] std::vector<Step> steps(int target, const LinkGraph& graph);

 private:
  const std::vector<PathSearch::Reached>& reached(double width);

  const PathSearch& search_;
  int source_;
  std::vector<double> widths_;
  std::map<double, std::vector<PathSearch::Reached>> by_width_;  ///< there are few different widths
};

}  // namespace halocline::machine

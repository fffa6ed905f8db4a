#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "halocline/machine/machine_map.hpp"

// Widest paths, ties to the least latency. One search over pairs (width, latency) would be wrong: a prefix that
// is narrower but faster can be the better one once a narrow link follows. So the width is found first, and
// the latency in the graph of the links that are wide enough.
namespace halocline::machine {

class PathSearch {
 public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// How a vertex is reached best.
  struct Reached {
    double latency = infinite;
    int links = 0;  ///< how many are passed
    int via = -1;   ///< the last of them, an index in NodeType::links
  };

  /// The type must outlive it.
  explicit PathSearch(const NodeType& type) : vertices_(type.vertices), edges_(type.vertices.size()) {
    for (std::size_t l = 0; l < type.links.size(); ++l) {
      const Link& link = type.links[l];
      const auto a = static_cast<std::size_t>(link.a);
      const auto b = static_cast<std::size_t>(link.b);
      if (a == b) continue;
      edges_.at(a).push_back({b, link.bandwidth, link.latency, static_cast<int>(l)});
      edges_.at(b).push_back({a, link.bandwidth, link.latency, static_cast<int>(l)});
    }
  }

  /// The width of the widest path from source to each vertex; 0 where there is none.
  [[nodiscard]] std::vector<double> widths(std::size_t source) const {
    std::vector<double> width(edges_.size(), 0);
    std::priority_queue<std::pair<double, std::size_t>> queue;
    width[source] = infinite;
    queue.emplace(infinite, source);
    while (!queue.empty()) {
      const auto [reached, v] = queue.top();
      queue.pop();
      if (reached < width[v] || !leaves(v, source)) continue;
      for (const Edge& edge : edges_[v]) {
        const double through = std::min(reached, edge.bandwidth);
        if (through <= width[edge.to]) continue;
        width[edge.to] = through;
        queue.emplace(through, edge.to);
      }
    }
    return width;
  }

  /// The path of the least latency, among equals of the fewest links, from source to each vertex over links of at least a
  /// bandwidth.
  [[nodiscard]] std::vector<Reached> fastest(std::size_t source, double least_bandwidth) const {
    using Entry = std::tuple<double, int, std::size_t>;  // latency, links, vertex
    std::vector<Reached> best(edges_.size());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    best[source].latency = 0;
    queue.emplace(0, 0, source);
    while (!queue.empty()) {
      const auto [latency, links, v] = queue.top();
      queue.pop();
      const bool outdated = std::pair(latency, links) > std::pair(best[v].latency, best[v].links);
      if (outdated || !leaves(v, source)) continue;
      for (const Edge& edge : edges_[v]) {
        const Reached through{latency + edge.latency, links + 1, edge.link};
        Reached& there = best[edge.to];
        if (edge.bandwidth < least_bandwidth) continue;
        if (std::pair(through.latency, through.links) >= std::pair(there.latency, there.links)) continue;
        there = through;
        queue.emplace(through.latency, through.links, edge.to);
      }
    }
    return best;
  }

 private:
  struct Edge {
    std::size_t to;
    double bandwidth;
    double latency;
    int link;
  };

  /// Devices and NICs are ends of a path: no hardware forwards through another device.
  [[nodiscard]] bool leaves(std::size_t v, std::size_t source) const {
    const VertexKind kind = vertices_[v].kind;
    return v == source || (kind != VertexKind::device && kind != VertexKind::nic);
  }

  const std::vector<Vertex>& vertices_;
  std::vector<std::vector<Edge>> edges_;
};

}  // namespace halocline::machine

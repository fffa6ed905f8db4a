// SPDX-License-Identifier: BSD-3-Clause
#include "machine/path_search.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "core/at.hpp"

// One search over pairs (width, latency) would be wrong: a prefix that is narrower but faster can be the better one once a
// narrow link follows. So the width is found first, and the latency in the graph of the links that are wide enough.
namespace halocline::machine {

LinkGraph link_graph(const NodeType& type) {
  LinkGraph graph;
  for (const Vertex& vertex : type.vertices) {
    graph.is_end.push_back(vertex.kind == VertexKind::device || vertex.kind == VertexKind::nic);
  }
  for (const Link& link : type.links) graph.edges.push_back({link.a, link.b, link.bandwidth, link.latency});
  return graph;
}

PathSearch::PathSearch(const LinkGraph& graph) : is_end_(graph.is_end), edges_(graph.is_end.size()) {
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const LinkGraph::Edge& edge = graph.edges[e];
    if (edge.a == edge.b) continue;
    edges_.at(at(edge.a)).push_back({edge.b, edge.bandwidth, edge.latency, static_cast<int>(e)});
    edges_.at(at(edge.b)).push_back({edge.a, edge.bandwidth, edge.latency, static_cast<int>(e)});
  }
}

std::vector<double> PathSearch::widths(int source) const {
  std::vector<double> width(edges_.size(), 0);
  std::priority_queue<std::pair<double, int>> queue;
  width[at(source)] = infinite;
  queue.emplace(infinite, source);
  while (!queue.empty()) {
    const auto [reached, v] = queue.top();
    queue.pop();
    if (reached < width[at(v)] || !leaves(v, source)) continue;
    for (const Edge& edge : edges_[at(v)]) {
      const double through = std::min(reached, edge.bandwidth);
      if (through <= width[at(edge.to)]) continue;
      width[at(edge.to)] = through;
      queue.emplace(through, edge.to);
    }
  }
  return width;
}

std::vector<PathSearch::Reached> PathSearch::fastest(int source, double least_bandwidth) const {
  using Entry = std::tuple<double, int, int>;  // latency, links, vertex
  std::vector<Reached> best(edges_.size());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  best[at(source)].latency = 0;
  queue.emplace(0, 0, source);
  while (!queue.empty()) {
    const auto [latency, links, v] = queue.top();
    queue.pop();
    const bool outdated = std::pair(latency, links) > std::pair(best[at(v)].latency, best[at(v)].links);
    if (outdated || !leaves(v, source)) continue;
    for (const Edge& edge : edges_[at(v)]) {
      const Reached through{latency + edge.latency, links + 1, edge.number, v};
      Reached& there = best[at(edge.to)];
      if (edge.bandwidth < least_bandwidth) continue;
      if (std::pair(through.latency, through.links) >= std::pair(there.latency, there.links)) continue;
      there = through;
      queue.emplace(through.latency, through.links, edge.to);
    }
  }
  return best;
}

const std::vector<PathSearch::Reached>& PathsFrom::reached(double width) {
  auto found = by_width_.find(width);
  if (found == by_width_.end()) found = by_width_.emplace(width, search_.fastest(source_, width)).first;
  return found->second;
}

double PathsFrom::latency(int target) {
  if (target == source_) return 0;
  const double width = widths_[at(target)];
  return width == 0 ? PathSearch::infinite : reached(width)[at(target)].latency;
}

std::vector<PathsFrom::Step> PathsFrom::steps(int target, const LinkGraph& graph) {
  std::vector<Step> steps;
  const double width = widths_[at(target)];
  if (target == source_ || width == 0) return steps;
  const auto& tree = reached(width);
  for (int v = target; v != source_; v = tree[at(v)].from) {
    const int edge = tree[at(v)].via;
    steps.push_back({edge, graph.edges[at(edge)].b == v});
  }
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace halocline::machine

#include "mapping/route_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

namespace halocline::mapping {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

RouteSearch::RouteSearch(const Topology::Graph& graph) : graph_(graph), edges_(at(graph.vertices)) {
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const auto& [a, b, each_way] = graph.links[l];
    const int channel = 2 * static_cast<int>(l);
    edges_[at(a)].push_back({b, channel, each_way.bandwidth, each_way.latency});
    edges_[at(b)].push_back({a, channel + 1, each_way.bandwidth, each_way.latency});
  }
}

bool RouteSearch::passes(int vertex, int from) const {
  return vertex == from || graph_.is_end.empty() || !graph_.is_end[at(vertex)];
}

std::vector<double> RouteSearch::widths(int from) const {
  std::vector<double> width(edges_.size(), 0);
  std::priority_queue<std::pair<double, int>> queue;
  width[at(from)] = infinite;
  queue.emplace(infinite, from);
  while (!queue.empty()) {
    const auto [reached, v] = queue.top();
    queue.pop();
    if (reached < width[at(v)] || !passes(v, from)) continue;
    for (const Edge& edge : edges_[at(v)]) {
      const double through = std::min(reached, edge.bandwidth);
      if (through <= width[at(edge.to)]) continue;
      width[at(edge.to)] = through;
      queue.emplace(through, edge.to);
    }
  }
  return width;
}

std::vector<int> RouteSearch::last_channels(int from, double width) const {
  using Cost = std::tuple<double, int>;  // latency, links
  std::vector<Cost> cost(edges_.size(), Cost{infinite, 0});
  std::vector<int> last(edges_.size(), -1);
  std::priority_queue<std::tuple<Cost, int>, std::vector<std::tuple<Cost, int>>, std::greater<>> queue;
  cost[at(from)] = {0, 0};
  queue.emplace(cost[at(from)], from);
  while (!queue.empty()) {
    const auto [reached, v] = queue.top();
    queue.pop();
    if (reached > cost[at(v)] || !passes(v, from)) continue;
    for (const Edge& edge : edges_[at(v)]) {
      const Cost through{std::get<0>(reached) + edge.latency, std::get<1>(reached) + 1};
      if (edge.bandwidth < width || through >= cost[at(edge.to)]) continue;
      cost[at(edge.to)] = through;
      last[at(edge.to)] = edge.channel;
      queue.emplace(through, edge.to);
    }
  }
  return last;
}

std::vector<std::vector<int>> RouteSearch::routes(int from) const {
  const std::vector<double> width = widths(from);
  std::map<double, std::vector<int>> found;  // by width; few differ
  std::vector<std::vector<int>> routes;
  for (const int place : graph_.places) {
    std::vector<int>& route = routes.emplace_back();
    const double wanted = width[at(place)];
    if (place == from || wanted == 0) continue;
    auto last = found.find(wanted);
    if (last == found.end()) last = found.emplace(wanted, last_channels(from, wanted)).first;
    for (int v = place; v != from;) {
      const int channel = last->second[at(v)];
      route.push_back(channel);
      const auto& link = graph_.links[at(channel / 2)];
      v = channel % 2 == 0 ? link.a : link.b;
    }
    std::ranges::reverse(route);
  }
  return routes;
}

}  // namespace halocline::mapping

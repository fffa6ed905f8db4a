#include "halocline/mapping/topology.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "halocline/core/error.hpp"
#include "mapping/route_search.hpp"

namespace halocline::mapping {
namespace {

/// Up to here the routes of a tree are stored too: looking one up is what mappers do most.
constexpr std::size_t most_stored_places = 256;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Topology::Topology(const Graph& graph) : graph_(graph), places_(graph.places) {
  for (const Link& link : graph.links) {
    channels_.push_back(link.each_way);
    channels_.push_back(link.each_way);
  }
  if (!root_tree()) {
    search_all();
  } else if (places_.size() <= most_stored_places) {
    store_climbs();
  }
}

bool Topology::root_tree() {
  if (graph_.links.size() + 1 != at(graph_.vertices)) return false;
  std::vector<std::vector<int>> out(at(graph_.vertices));  // channels
  for (std::size_t l = 0; l < graph_.links.size(); ++l) {
    const int channel = 2 * static_cast<int>(l);
    out[at(graph_.links[l].a)].push_back(channel);
    out[at(graph_.links[l].b)].push_back(channel + 1);
  }
  for (std::size_t v = 0; v < graph_.is_end.size(); ++v) {
    if (graph_.is_end[v] && out[v].size() > 1) return false;
  }
  up_.assign(out.size(), -1);
  parent_.assign(out.size(), -1);
  depth_.assign(out.size(), -1);
  std::vector<int> reached{0};
  depth_[0] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int v = reached[i];
    for (const int channel : out[at(v)]) {
      const Link& link = graph_.links[at(channel / 2)];
      const int to = channel % 2 == 0 ? link.b : link.a;
      if (depth_[at(to)] >= 0) continue;
      up_[at(to)] = channel ^ 1;
      parent_[at(to)] = v;
      depth_[at(to)] = depth_[at(v)] + 1;
      reached.push_back(to);
    }
  }
  return reached.size() == at(graph_.vertices);
}

void Topology::climb(int from, int to, std::vector<int>& route) const {
  route.clear();
  int a = places_[at(from)];
  int b = places_[at(to)];
  std::size_t below = 0;  // channels of the way down, last first
  while (a != b) {
    if (depth_[at(a)] >= depth_[at(b)]) {
      route.insert(route.end() - static_cast<std::ptrdiff_t>(below), up_[at(a)]);
      a = parent_[at(a)];
    } else {
      route.insert(route.end() - static_cast<std::ptrdiff_t>(below), up_[at(b)] ^ 1);
      ++below;
      b = parent_[at(b)];
    }
  }
}

void Topology::store_climbs() {
  std::vector<int> route;
  begin_.push_back(0);
  for (int from = 0; from < places(); ++from) {
    for (int to = 0; to < places(); ++to) {
      climb(from, to, route);
      routes_.insert(routes_.end(), route.begin(), route.end());
      begin_.push_back(routes_.size());
    }
  }
}

void Topology::search_all() {
  const RouteSearch search(graph_);
  begin_.push_back(0);
  for (const int from : places_) {
    const auto routes = search.routes(from);
    for (std::size_t to = 0; to < places_.size(); ++to) {
      if (routes[to].empty() && places_[to] != from) {
        throw InvalidArgument(
            fmt::format("{}: vertex {} has no way to vertex {}; allowed are places that are all connected", graph_.name,
                        from, places_[to]));
      }
      routes_.insert(routes_.end(), routes[to].begin(), routes[to].end());
      begin_.push_back(routes_.size());
    }
  }
}

std::span<const int> Topology::route(int from, int to, std::vector<int>& scratch) const {
  if (begin_.empty()) {
    climb(from, to, scratch);
    return scratch;
  }
  const std::size_t pair = at(from) * places_.size() + at(to);
  return {routes_.data() + begin_[pair], begin_[pair + 1] - begin_[pair]};
}

int Topology::hops(int from, int to) const {
  std::vector<int> scratch;
  return static_cast<int>(route(from, to, scratch).size());
}

double Topology::latency(int from, int to) const {
  std::vector<int> scratch;
  double sum = 0;
  for (const int channel : route(from, to, scratch)) sum += channels_[at(channel)].latency;
  return sum;
}

double Topology::seconds_a_byte(int from, int to) const {
  std::vector<int> scratch;
  double sum = 0;
  for (const int channel : route(from, to, scratch)) sum += 1 / channels_[at(channel)].bandwidth;
  return sum;
}

}  // namespace halocline::mapping

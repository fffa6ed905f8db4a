// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/topology.hpp"

#include <fmt/core.h>

#include "core/at.hpp"
#include "halocline/error.hpp"
#include "machine/path_search.hpp"

namespace halocline::mapping {
namespace {

/// Up to here the routes of a router are stored.
constexpr std::size_t most_stored_places = 256;

machine::LinkGraph plain(const Topology::Graph& graph) {
  machine::LinkGraph plain;
  plain.is_end = graph.is_end;
  plain.is_end.resize(at(graph.vertices), false);
  for (const Topology::Link& link : graph.links) {
    plain.edges.push_back({link.a, link.b, link.each_way.bandwidth, link.each_way.latency});
  }
  return plain;
}

}  // namespace

Topology::Topology(const Graph& graph) : graph_(graph) {
  for (const Link& link : graph.links) {
    channels_.push_back(link.each_way);
    channels_.push_back(link.each_way);
  }
  const machine::LinkGraph links = plain(graph);
  const machine::PathSearch search(links);
  begin_.push_back(0);
  for (const int from : graph_.places) {
    machine::PathsFrom paths(search, from);
    for (const int to : graph_.places) {
      if (to != from && paths.widths()[at(to)] == 0) {
        throw InvalidArgument(fmt::format(
            "{}: vertex {} has no way to vertex {}; allowed are places that are all connected", graph_.name, from, to));
      }
      for (const auto& [edge, forward] : paths.steps(to, links)) routes_.push_back(2 * edge + (forward ? 0 : 1));
      begin_.push_back(routes_.size());
    }
  }
}

Topology::Topology(Graph graph, std::vector<machine::Channel> channels, Router router)
    : graph_(std::move(graph)), channels_(std::move(channels)) {
  if (graph_.places.size() <= most_stored_places) {
    store(router);
  } else {
    router_ = std::move(router);
  }
}

void Topology::store(const Router& router) {
  begin_.push_back(0);
  for (int from = 0; from < places(); ++from) {
    for (int to = 0; to < places(); ++to) {
      router(from, to, routes_);
      begin_.push_back(routes_.size());
    }
  }
}

std::span<const int> Topology::computed(int from, int to, std::vector<int>& scratch) const {
  scratch.clear();
  router_(from, to, scratch);
  return scratch;
}

int Topology::hops(int from, int to) const {
  std::vector<int> scratch;
  return static_cast<int>(route(from, to, scratch).size());
}

double Topology::seconds_a_byte(int from, int to) const {
  std::vector<int> scratch;
  double sum = 0;
  for (const int channel : route(from, to, scratch)) sum += 1 / channels_[at(channel)].bandwidth;
  return sum;
}

}  // namespace halocline::mapping

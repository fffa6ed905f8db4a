// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "machine/synthetic.hpp"
#include "mapping/mapper.hpp"
#include "partition/halo.hpp"
#include "planner/planner.hpp"

// What mapping has, asked what placement and partition ask.
namespace halocline::bench {
namespace {

using mapping::CommunicationMatrix;
using mapping::Mapper;
using mapping::Topology;

/// Each two devices have a link that is as slow as they are far apart, both ways together.
Topology topology_of(const placement::Assignment& problem) {
  Topology::Graph graph;
  graph.name = "the devices";
  graph.vertices = problem.n;
  const auto distance = [&](int a, int b) { return problem.distance[static_cast<std::size_t>(a * problem.n + b)]; };
  for (int a = 0; a < problem.n; ++a) {
    graph.places.push_back(a);
    for (int b = 0; b < a; ++b) {
      const auto both = static_cast<double>(std::max<std::int64_t>(1, distance(a, b) + distance(b, a)));
      graph.links.push_back({a, b, {machine::LinkKind::nvlink, 1 / both, 0}, -1});
    }
  }
  return Topology(graph);
}

/// One switch.
Topology switch_of(std::int64_t nodes) { return mapping::network_topology(machine::synthetic({.nodes = nodes})); }

}  // namespace

std::vector<int> solve_scotch(const placement::Assignment& problem) {
  CommunicationMatrix matrix(problem.n);
  for (int from = 0; from < problem.n; ++from) {
    for (int to = 0; to < problem.n; ++to) {
      const std::int64_t bytes = problem.flow[static_cast<std::size_t>(from * problem.n + to)];
      if (from != to && bytes > 0) matrix.add(from, to, bytes);
    }
  }
  const Topology topology = topology_of(problem);
  return mapping::map_processes(Mapper::scotch,
                                {&matrix, &topology, std::vector<int>(static_cast<std::size_t>(problem.n), 1)});
}

std::vector<std::int64_t> nodes_by(Mapper mapper, const partition::Geometry& geometry, std::int64_t devices) {
  const auto parts = static_cast<int>(geometry.partition.size());
  CommunicationMatrix matrix(parts);
  for (int s = 0; s < parts; ++s) {
    for (const auto& flow : partition::outgoing_flows(geometry, subdomain_id(s))) {
      matrix.add(s, static_cast<int>(flow.to.value()), flow.bytes);
    }
  }
  const Topology network = switch_of(parts / devices);
  const std::vector<int> capacity(static_cast<std::size_t>(network.places()), static_cast<int>(devices));
  const std::vector<int> node_of = mapping::map_processes(mapper, {&matrix, &network, capacity});
  return {node_of.begin(), node_of.end()};
}

}  // namespace halocline::bench

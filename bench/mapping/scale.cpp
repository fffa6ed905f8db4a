// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "mapping/mapping.hpp"
#include "support/cost.hpp"

namespace halocline::bench {
namespace {

using mapping::CommunicationMatrix;

/// 8 routers a side but in one dimension; leaves of 18 nodes in pods of 18, uplinks half as wide as what is below.
machine::Fabric fabric_of(const std::string& name, std::int64_t nodes, double port) {
  if (name == "crossbar") return {};
  if (name == "fat_tree") {
    return {1, machine::FatTree{{{18, {9 * port, 1e-7}}, {18, {81 * port, 1e-7}}}}};
  }
  if (name != "torus") {
    throw InvalidArgument(fmt::format("--fabric is '{}'; allowed is crossbar, fat_tree or torus", name));
  }
  const machine::LinkRate link{port / 2, 1e-7};
  return {1, machine::Torus{1, {{8, link}, {8, link}, {static_cast<int>((nodes + 63) / 64), link}}}};
}

machine::MachineMap machine_of(const ScaleRequest& request, std::int64_t nodes) {
  machine::MachineMap map = machine::synthetic({.nodes = nodes});
  map.network.fabric = fabric_of(request.fabric, nodes, map.network.bandwidth);
  return map;
}

/// A 3-D stencil with wraparound, 1 MiB a message, whose ranks are numbered at random.
CommunicationMatrix scrambled(int ranks) {
  const CommunicationMatrix regular = mapping::hoomd_like(ranks, std::int64_t{1} << 20);
  std::vector<int> number(static_cast<std::size_t>(ranks));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(1));
  CommunicationMatrix matrix(ranks);
  for (int from = 0; from < ranks; ++from) {
    for (const auto& flow : regular.row(from)) {
      matrix.add(number[static_cast<std::size_t>(from)], number[static_cast<std::size_t>(flow.to)], flow.bytes);
    }
  }
  return matrix;
}

}  // namespace

void scale_table(const ScaleRequest& request) {
  fmt::print("{}, {} ranks a node, a 3-D stencil in no order; processor seconds\n", request.fabric,
             request.ranks_per_node);
  fmt::print("{:>8} {:>8} {:<12} {:>9} {:>9} {:>14} {:>14}\n", "nodes", "ranks", "mapped by", "seconds", "peak MB",
             "congestion ms", "GB times hops");
  for (const std::int64_t nodes : request.nodes) {
    const machine::MachineMap map = machine_of(request, nodes);
    const auto network = mapping::network_topology(map);
    const auto matrix = scrambled(static_cast<int>(nodes) * request.ranks_per_node);
    const mapping::MappingProblem problem{&matrix, &network,
                                          std::vector<int>(static_cast<std::size_t>(nodes), request.ranks_per_node)};
    for (const NamedMapper& mapper : request.mappers) {
      std::vector<int> place_of;
      const double seconds = processor_seconds([&] { place_of = mapper.map(problem); });
      const double peak = peak_megabytes();
      const auto loads = mapping::channel_loads(matrix, network, place_of);
      const auto hop_bytes = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
      fmt::print("{:>8} {:>8} {:<12} {:>9.3f} {:>9.0f} {:>14.3f} {:>14.1f}\n", nodes, matrix.ranks(), mapper.name,
                 seconds, peak, 1e3 * mapping::sorted_congestions(problem, place_of).front(),
                 static_cast<double>(hop_bytes) / 1e9);
    }
  }
}

}  // namespace halocline::bench

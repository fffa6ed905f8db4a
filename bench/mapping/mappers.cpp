// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mapping.hpp"
#include "placement/placement.hpp"

namespace halocline::bench {
namespace {

/// Bytes times seconds a byte as a quadratic assignment problem of slots: a place of capacity c is c of them, and processes that are
/// not there fill what is left.
std::vector<int> map_assignment(const mapping::MappingProblem& problem, bool exact) {
  const mapping::Topology& topology = *problem.topology;
  std::vector<int> slots;
  for (int place = 0; place < topology.places(); ++place) {
    slots.insert(slots.end(), static_cast<std::size_t>(problem.capacity[static_cast<std::size_t>(place)]), place);
  }
  const std::size_t n = slots.size();
  std::vector<double> flow(n * n, 0);
  for (int from = 0; from < problem.matrix->ranks(); ++from) {
    for (const mapping::Flow& one : problem.matrix->row(from)) {
      if (one.to != from) {
        flow[static_cast<std::size_t>(from) * n + static_cast<std::size_t>(one.to)] = static_cast<double>(one.bytes);
      }
    }
  }
  std::vector<double> distance(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) distance[a * n + b] = topology.seconds_a_byte(slots[a], slots[b]);
  }
  // n * n products have to fit 63 bits.
  const auto scale = std::int64_t{1} << (n <= 1024 ? 20 : 16);
  const placement::Assignment assignment{static_cast<int>(n), placement::scaled(flow, scale),
                                         placement::scaled(distance, scale)};
  const std::vector<int> slot_of = exact ? placement::solve_exact(assignment) : placement::solve_craft(assignment);
  std::vector<int> place_of;
  for (int process = 0; process < problem.matrix->ranks(); ++process) {
    place_of.push_back(slots[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(process)])]);
  }
  return place_of;
}

}  // namespace

std::vector<NamedMapper> mappers() {
  std::vector<NamedMapper> all;
  for (const mapping::Mapper mapper : mapping::all_mappers) {
    all.push_back({std::string(to_string(mapper)),
                   [mapper](const mapping::MappingProblem& problem) { return map_processes(mapper, problem); }});
  }
  all.push_back({"exact", [](const mapping::MappingProblem& problem) { return map_assignment(problem, true); }});
  all.push_back({"craft", [](const mapping::MappingProblem& problem) { return map_assignment(problem, false); }});
  return all;
}

}  // namespace halocline::bench

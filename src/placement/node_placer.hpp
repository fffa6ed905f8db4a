// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "machine/machine_map.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

namespace halocline::placement {

namespace detail {
class ProblemMaker;
}  // namespace detail

/// make_placement() for callers that need a few nodes of many; the results are the same. The constructor iterates once
/// over the map's ranks to determine which rank drives which device, and examines one node part of each kind for the
/// scale of costs. A node is solved on the first request for it, and never twice. The map and the geometry must outlive
/// this object; the map must have passed its check().
class NodePlacer {
 public:
  /// Throws InvalidArgument if make_placement() does.
  NodePlacer(const partition::Geometry& geometry, const machine::MachineMap& map, const Request& request);
  ~NodePlacer();
  NodePlacer(const NodePlacer&) = delete;
  NodePlacer& operator=(const NodePlacer&) = delete;

  [[nodiscard]] const Slot& of(subdomain_id subdomain);
  /// Returns the subdomains of a rank, by ordinal. Solves its node only; with given owners, iterates over all of them.
  [[nodiscard]] std::vector<subdomain_id> of_rank(rank_id rank);

  struct Cost {
    std::int64_t trivial = 0;  ///< with subdomains in order
    std::int64_t placed = 0;
  };
  /// The costs of the flows within a node part; 0 if the partition was cut as one node although there are several.
  [[nodiscard]] Cost cost_of(std::int64_t node_part);
  /// Returns the problem that is solved for a node part. Throws InvalidArgument if the partition was cut as one node
  /// although there are several, because nothing is solved then.
  [[nodiscard]] Assignment problem_of(std::int64_t node_part) const;

 private:
  struct Solution {
    std::vector<int> location_of;  ///< part -> place among the node's slots
    Cost cost;
  };
  using Problem = std::pair<std::size_t, std::vector<std::int64_t>>;  ///< position in layouts, flow

  const Solution& solution_of(std::int64_t node_part);
  Solution solve(std::int64_t node_part, const Problem& problem) const;

  const partition::Geometry& geometry_;
  const machine::MachineMap& map_;
  Request request_;
  std::vector<Slot> slots_;  ///< those of node part k begin at k * devices a node; given ones are by subdomain
  std::vector<std::size_t> layout_of_;  ///< by node part; empty where nothing is solved: maker_ is null then
  std::unique_ptr<const detail::ProblemMaker> maker_;
  std::map<Problem, Solution> solved_;
  std::map<std::pair<std::size_t, std::size_t>, const Solution*> by_kind_;  ///< by layout and kind of node part
  std::map<std::int64_t, Solution> random_;                                 ///< by node part
};

}  // namespace halocline::placement

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "halocline/machine_map.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

namespace halocline::placement {

namespace detail {
class ProblemMaker;
}  // namespace detail

/// make_placement() for those who need a few nodes of many. Its answers are the same. To begin, it walks once through the
/// map's ranks to see who drives what, and looks at one node part of each kind for the scale of costs; a node is solved
/// when it is asked for, and none twice. The map has to stay, the geometry too; the map has passed its check().
class NodePlacer {
 public:
  /// Throws InvalidArgument as make_placement() does.
  NodePlacer(const partition::Geometry& geometry, const machine::MachineMap& map, const Request& request);
  ~NodePlacer();
  NodePlacer(const NodePlacer&) = delete;
  NodePlacer& operator=(const NodePlacer&) = delete;

  [[nodiscard]] const Slot& of(subdomain_id subdomain);
  /// The subdomains of a rank, by ordinal. Solves its node only; with given owners, a pass over all of them.
  [[nodiscard]] std::vector<subdomain_id> of_rank(rank_id rank);

  struct Cost {
    std::int64_t trivial = 0;  ///< with subdomains in order
    std::int64_t placed = 0;
  };
  /// Of the flows within a node part; 0 where the partition was cut as one node although there are several.
  [[nodiscard]] Cost cost_of(std::int64_t node_part);
  /// What is solved for a node part. Throws InvalidArgument where the partition was cut as one node although there are
  /// several, as nothing is.
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

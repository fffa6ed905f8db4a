// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/communication_matrix.hpp"
#include "mapping/topology.hpp"

namespace halocline::mapping {

struct MappingProblem {
  const CommunicationMatrix* matrix = nullptr;
  const Topology* topology = nullptr;
  std::vector<int> capacity;  ///< of each place; 0: the place is not used
};

/// The limits of refinement. With a limit in seconds, a slower machine may find another result; without, all machines
/// find the same.
struct Effort {
  /// Swaps and moves tried from each start; `partition` tries four times as many, and beyond 256 places that
  /// for each 64 processes. In a node map_job() takes the share that the node has of the processes.
  std::int64_t trials = 1500;
  std::optional<double> seconds;
  /// `congestion` has these trials for all starts together, the best start first. So has map_job() in nodes, where congestion seldom
  /// decides.
  bool together = false;
};

/// Swaps and moves of `congestion` from a given mapping. Its congestions, sorted from the largest, never get larger.
[[nodiscard]] std::vector<int> refine(const MappingProblem& problem, std::vector<int> place_of,
                                      const Effort& effort = {});

/// Bytes on each channel.
[[nodiscard]] std::vector<std::int64_t> channel_loads(const CommunicationMatrix& matrix, const Topology& topology,
                                                      const std::vector<int>& place_of);
/// Bytes over bandwidth of each channel, from the largest.
[[nodiscard]] std::vector<double> sorted_congestions(const MappingProblem& problem, const std::vector<int>& place_of);
/// Mappings for a caller that compares them by a cost of its own: `start`, `greedy` and `partition`, each as it is and refined as by
/// `congestion`; no two equal, the least congested first. Never from Scotch, so that all builds find the same. More than 256 places:
/// without `greedy`, which takes minutes there.
[[nodiscard]] std::vector<std::vector<int>> alternatives(const MappingProblem& problem, const std::vector<int>& start,
                                                         const Effort& effort = {});

}  // namespace halocline::mapping

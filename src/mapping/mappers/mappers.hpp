// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/mappers/rows.hpp"

// Shared by the mappers only.
namespace halocline::mapping::detail {

/// What a process exchanges with another process.
struct Peer {
  int process = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t messages = 0;  ///< both ways
  [[nodiscard]] std::int64_t volume() const { return sent + received; }
};

/// The peers of each process, ascending; what a process sends to itself and what is empty is left out.
using Peers = Rows<Peer>;
[[nodiscard]] Peers peers_of(const CommunicationMatrix& matrix);

/// Whether there are too many places to examine all pairs of them.
[[nodiscard]] inline bool is_large(const Topology& topology) { return topology.places() > 256; }

[[nodiscard]] std::vector<int> map_in_order(const MappingProblem& problem);
[[nodiscard]] std::vector<int> map_greedy(const MappingProblem& problem);
[[nodiscard]] std::vector<int> map_scotch(const MappingProblem& problem);
/// More than 256 slots on anything but one switch take Scotch half a minute and more; true without Scotch.
[[nodiscard]] bool scotch_is_slow(const MappingProblem& problem);
/// What a mapper makes of the problem at hand, so that nothing is mapped twice; empty where it is not to be a start.
using MappedBy = std::function<std::vector<int>(Mapper)>;
/// mapped_by: for Scotch. Without it, the result is the same in builds with and without Scotch.
[[nodiscard]] std::vector<int> map_partition(const MappingProblem& problem, const Effort& effort,
                                             const MappedBy& mapped_by);
/// Refines what `mapped_by` gives for the mappers that it starts from.
[[nodiscard]] std::vector<int> map_congestion(const MappingProblem& problem, const Effort& effort,
                                              const MappedBy& mapped_by);
/// Any mapper; those that start from the results of others take them from `mapped_by`.
[[nodiscard]] std::vector<int> map_with(Mapper mapper, const MappingProblem& problem, const Effort& effort,
                                        const MappedBy& mapped_by);

/// Counts trials and determines when to stop.
class Budget {
 public:
  explicit Budget(const Effort& effort);
  /// Whether this many more trials are allowed.
  [[nodiscard]] bool take(std::int64_t trials = 1) {
    const std::int64_t before = std::exchange(left_, left_ - trials);
    if (left_ < 0) return false;
    return end_ns_ < 0 || (before - 1) / between_looks == (left_ - 1) / between_looks || in_time();
  }

 private:
  /// Trials between two reads of the clock.
  static constexpr std::int64_t between_looks = 64;
  [[nodiscard]] bool in_time() const;

  std::int64_t left_;
  std::int64_t end_ns_ = -1;
};

}  // namespace halocline::mapping::detail

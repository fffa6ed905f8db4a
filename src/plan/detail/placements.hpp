// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "plan/detail/judge.hpp"

namespace halocline {

/// A placement of one geometry: by subdomain, positions in Judge::slots().
struct Located {
  Judge::Bound bound;
  std::vector<int> slot_of;
};

/// Which placements of nodes x devices subdomains are searched.
struct Freedom {
  std::int64_t nodes = 1;
  std::int64_t devices = 1;   ///< of a node; slots and subdomains of node n begin at n * devices
  bool alike = false;         ///< all nodes are placed in the same way
  bool across_nodes = false;  ///< node parts may change their nodes
};

/// Searches the placements of one geometry for small bounds.
class Placements {
 public:
  explicit Placements(const Freedom& freedom);

  /// The best by bound, each with a bound of its own, the best first; at most `most`. Tries every placement where there
  /// are no more than 5,040; otherwise descends from each start, always by the exchange of two that helps most.
  [[nodiscard]] std::vector<Located> best(Judge& judge, const Messages& messages,
                                          const std::vector<std::vector<int>>& starts, std::size_t most) const;

  /// Descends by a cost of the caller's from a placement: takes the first exchange whose cost is below the cost so far. cost:
  /// of a placement, given the cost to be below; returns that or more where it is not.
  void descend(std::vector<int>& slot_of, std::int64_t& least,
               const std::function<std::int64_t(std::span<const int>, std::int64_t)>& cost) const;

 private:
  /// Pairs of subdomains that change places together.
  using Move = std::vector<std::pair<std::size_t, std::size_t>>;

  [[nodiscard]] bool can_try_all() const;
  void try_all(const std::function<void(const std::vector<int>&)>& visit) const;

  Freedom freedom_;
  std::vector<Move> moves_;
};

}  // namespace halocline

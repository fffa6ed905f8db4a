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
  bool any_two = false;       ///< any two subdomains may exchange their slots
};

/// Searches the placements of one geometry for small bounds.
class Placements {
 public:
  explicit Placements(const Freedom& freedom);

  /// The best by bound, no two that the judge does not tell apart, the best first; at most `most`. Tries every placement where there
  /// are no more than 5,040; otherwise descends from each start, always by the exchange of two that helps most. effort: what descents may
  /// take, in messages looked at, shared by the starts; lessened by what they take. Where less is left than a step takes, each exchange that helps is
  /// made at once.
  [[nodiscard]] std::vector<Located> best(Judge& judge, const Messages& messages,
                                          const std::vector<std::vector<int>>& starts, std::size_t most,
                                          std::int64_t& effort) const;

  /// Descends by a cost of the caller's from a placement: takes the first exchange whose cost is below the cost so far. cost:
  /// of a placement, given the cost to be below; returns that or more where it is not.
  template <typename Cost>
  void descend(std::vector<int>& slot_of, Cost& least,
               const std::function<Cost(std::span<const int>, const Cost&)>& cost) const {
    std::size_t without_gain = 0;
    for (std::size_t m = 0; without_gain < moves_.size(); m = (m + 1) % moves_.size(), ++without_gain) {
      change_places(slot_of, moves_[m]);
      const Cost found = cost(slot_of, least);
      if (found < least) {
        least = found;
        without_gain = 0;
      } else {
        change_places(slot_of, moves_[m]);
      }
    }
  }

 private:
  /// Pairs of subdomains that change places together.
  using Move = std::vector<std::pair<std::size_t, std::size_t>>;

  static void change_places(std::vector<int>& slot_of, const Move& move) {
    for (const auto& [a, b] : move) std::swap(slot_of[a], slot_of[b]);
  }
  /// visit: each placement that is looked at.
  void descend_steeply(Judge& judge, const Messages& messages, std::vector<int> slot_of, std::int64_t& effort,
                       const std::function<void(const Judge::Bound&, const std::vector<int>&)>& visit) const;
  [[nodiscard]] bool can_try_all() const;
  void try_all(const std::function<void(const std::vector<int>&)>& visit) const;

  Freedom freedom_;
  std::vector<Move> moves_;
};

}  // namespace halocline

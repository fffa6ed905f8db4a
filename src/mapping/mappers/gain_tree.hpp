// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace halocline::mapping::detail {

/// Candidates ordered by the gain of taking one next: a tournament in which a match is replayed only if the gain of one
/// of its candidates changed. The largest gain wins; among equals, the lowest number.
class GainTree {
 public:
  /// Has room for candidates 0 to count - 1, and contains none at first.
  void reset(std::size_t count) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(count, 1));
    gains_.assign(leaves_, absent);
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = static_cast<int>(i);
    for (std::size_t match = leaves_ - 1; match > 0; --match) winners_[match] = winners_[2 * match];
  }
  /// Inserts a candidate, or changes its gain.
  void set(int candidate, std::int64_t gain) {
    gains_[static_cast<std::size_t>(candidate)] = gain;
    for (std::size_t match = (leaves_ + static_cast<std::size_t>(candidate)) / 2; match > 0; match /= 2) {
      const int left = winners_[2 * match];
      const int right = winners_[2 * match + 1];
      const int winner = of(right) > of(left) ? right : left;
      if (winner != candidate && winner == winners_[match]) return;
      winners_[match] = winner;
    }
  }
  void remove(int candidate) { set(candidate, absent); }

  [[nodiscard]] bool empty() const { return of(best()) == absent; }
  [[nodiscard]] int best() const { return winners_[1]; }

 private:
  static constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();
  [[nodiscard]] std::int64_t of(int candidate) const { return gains_[static_cast<std::size_t>(candidate)]; }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> gains_;
  std::vector<int> winners_;  ///< match i is between the winners of matches 2 i and 2 i + 1; match 1 is the final
};

}  // namespace halocline::mapping::detail

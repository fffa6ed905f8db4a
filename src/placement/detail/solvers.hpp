// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/placement.hpp"

// Shared by the files of the placement stage only.
namespace halocline::placement::detail {

/// solve_exact refuses more facilities than this: its time grows with their factorial.
inline constexpr int most_facilities = 12;

/// Throws InvalidArgument if sizes do not match, an entry is negative, or a sum of n * n products might not fit 63
/// bits.
void check(const Assignment& problem);

/// Returns the change of cost() if facilities r and s swap their locations. O(n).
[[nodiscard]] std::int64_t swap_delta(const Assignment& problem, std::span<const int> location_of, int r, int s);

/// The Gilmore-Lawler bound of a partial assignment.
class LowerBound {
 public:
  explicit LowerBound(const Assignment& problem);
  /// Facilities 0 to placed - 1 have the locations location_of[0 .. placed); bit a of free is set if location a has no
  /// facility. Every completion costs at least the cost of the placed facilities plus the result. O(n^3).
  [[nodiscard]] std::int64_t remaining(std::span<const int> location_of, int placed, std::uint32_t free);

 private:
  using Row = std::array<std::int64_t, most_facilities>;
  using Order = std::array<int, most_facilities>;
  const Assignment& problem_;
  std::array<Order, most_facilities> flow_order_{};      ///< row i: facilities by flow from i, ascending
  std::array<Order, most_facilities> distance_order_{};  ///< row a: locations by distance from a, descending
  std::array<Row, most_facilities> flows_{};
  std::array<Row, most_facilities> distances_{};
  std::array<Row, most_facilities> costs_{};
};

/// A generator of 64-bit numbers, the same on every machine. Source: Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014 (SplitMix64).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next();
  /// From 0 to n - 1, each equally likely; n is 1 or more.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  std::uint64_t state_;
};

}  // namespace halocline::placement::detail

// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/detail/solvers.hpp"

namespace halocline::placement {

std::uint64_t detail::SplitMix64::next() {
  state_ += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t detail::SplitMix64::below(std::uint64_t n) {
  // Numbers above the last multiple of n would favour small results.
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / n * n;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return value % n;
}

// Fisher and Yates; std::shuffle differs between standard libraries.
std::vector<int> solve_random(int n, std::uint64_t seed) {
  if (n < 0) throw InvalidArgument(fmt::format("number of facilities is {}; allowed is 0 or more", n));
  std::vector<int> location_of(static_cast<std::size_t>(n));
  std::iota(location_of.begin(), location_of.end(), 0);
  detail::SplitMix64 random(seed);
  for (std::size_t left = location_of.size(); left > 1; --left) {
    std::swap(location_of[left - 1], location_of[static_cast<std::size_t>(random.below(left))]);
  }
  return location_of;
}

}  // namespace halocline::placement

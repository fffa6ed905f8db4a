// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "placement/detail/solvers.hpp"

namespace halocline::placement {
namespace {

__extension__ typedef __int128 Int128;

std::int64_t largest(const char* what, const std::vector<std::int64_t>& matrix, int n) {
  if (matrix.size() != static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
    throw InvalidArgument(fmt::format("{} has {} entries; allowed for {} facilities are {}", what, matrix.size(), n,
                                      std::int64_t{n} * n));
  }
  std::int64_t most = 0;
  for (const std::int64_t entry : matrix) {
    if (entry < 0) throw InvalidArgument(fmt::format("a {} is {}; allowed is 0 or more", what, entry));
    most = std::max(most, entry);
  }
  return most;
}

}  // namespace

void detail::check(const Assignment& problem) {
  if (problem.n < 0) {
    throw InvalidArgument(fmt::format("number of facilities is {}; allowed is 0 or more", problem.n));
  }
  const std::int64_t flow = largest("flow", problem.flow, problem.n);
  const std::int64_t distance = largest("distance", problem.distance, problem.n);
  // The bound 2^61 leaves room for twice a product, which the cost difference of a swap needs.
  if (Int128{flow} * distance > (Int128{1} << 61) / std::max<Int128>(1, Int128{problem.n} * problem.n)) {
    throw InvalidArgument(
        fmt::format("largest flow is {} and largest distance {}; allowed for {} facilities are products "
                    "of 2^61 / {} at most",
                    flow, distance, problem.n, std::int64_t{problem.n} * problem.n));
  }
}

std::int64_t Assignment::cost(std::span<const int> location_of) const {
  std::int64_t sum = 0;
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < size; ++i) {
    const auto a = static_cast<std::size_t>(location_of[i]);
    for (std::size_t j = 0; j < size; ++j) {
      sum += flow[i * size + j] * distance[a * size + static_cast<std::size_t>(location_of[j])];
    }
  }
  return sum;
}

std::vector<std::int64_t> scaled(std::span<const double> values, std::int64_t scale) {
  if (scale < 0) throw InvalidArgument(fmt::format("scale is {}; allowed is 0 or more", scale));
  double most = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value < 0) {
      throw InvalidArgument(fmt::format("value to scale is {}; allowed are finite numbers of 0 or more", value));
    }
    most = std::max(most, value);
  }
  std::vector<std::int64_t> integers;
  integers.reserve(values.size());
  for (const double value : values) {
    integers.push_back(most > 0 ? std::llround(value / most * static_cast<double>(scale)) : 0);
  }
  return integers;
}

}  // namespace halocline::placement

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/reduce.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::comm {
namespace {

double combine(double a, double b, Reduction reduction) {
  if (reduction == Reduction::sum) return a + b;
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return reduction == Reduction::min ? std::min(a, b) : std::max(a, b);
}

std::int64_t combine(std::int64_t a, std::int64_t b, Reduction reduction) {
  if (reduction == Reduction::sum) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  return reduction == Reduction::min ? std::min(a, b) : std::max(a, b);
}

template <typename T>
void reduce_all(std::span<T> into, std::span<const T> with, Reduction reduction) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = combine(into[i], with[i], reduction);
}

}  // namespace

void reduce_into(std::span<double> into, std::span<const double> with, Reduction reduction) {
  reduce_all(into, with, reduction);
}

void reduce_into(std::span<std::int64_t> into, std::span<const std::int64_t> with, Reduction reduction) {
  reduce_all(into, with, reduction);
}

}  // namespace halocline::comm

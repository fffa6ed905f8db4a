// SPDX-License-Identifier: BSD-3-Clause
#include "core/median.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/error.hpp"

namespace halocline {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double percentile(std::span<const double> sorted, double fraction) {
  if (sorted.empty()) throw InvalidArgument("percentile: there are 0 values; allowed is 1 or more");
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace halocline

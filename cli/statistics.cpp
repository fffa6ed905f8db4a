// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/median.hpp"

namespace cli {

using halocline::percentile;

Statistics statistics_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Statistics s;
  s.p25 = percentile(sorted, 0.25);
  s.p50 = percentile(sorted, 0.50);
  s.p75 = percentile(sorted, 0.75);
  s.p95 = percentile(sorted, 0.95);
  s.min = sorted.front();
  s.max = sorted.back();
  s.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  const std::size_t quarter = sorted.size() / 4;
  s.trimean = (sorted[quarter] + 2 * sorted[2 * quarter] + sorted[3 * quarter]) / 4;
  return s;
}

}  // namespace cli

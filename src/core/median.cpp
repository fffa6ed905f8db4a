// SPDX-License-Identifier: BSD-3-Clause
#include "core/median.hpp"

#include <algorithm>

namespace halocline {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace halocline

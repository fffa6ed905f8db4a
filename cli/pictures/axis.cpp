// SPDX-License-Identifier: BSD-3-Clause
#include "pictures/axis.hpp"

#include <fmt/core.h>

#include <cmath>

namespace cli {

std::vector<double> linear_ticks(double lowest, double highest) {
  std::vector<double> ticks;
  if (!(highest > lowest)) return {lowest};
  const double rough = (highest - lowest) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5 ? 10 : (rough / power > 2 ? 5 : (rough / power > 1 ? 2 : 1)));
  const auto last = static_cast<int>(std::floor(highest / step + 1e-9));
  for (auto n = static_cast<int>(std::ceil(lowest / step - 1e-9)); n <= last; ++n) ticks.push_back(n * step);
  return ticks;
}

std::vector<double> log_ticks(double lowest, double highest) {
  std::vector<double> ticks;
  const bool sparse = highest / lowest > 2000;
  const bool dense = highest / lowest < 10;
  const int last = static_cast<int>(std::ceil(std::log10(highest)));
  for (int power = static_cast<int>(std::floor(std::log10(lowest))); power <= last; ++power) {
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0}) {
      if (!dense && (factor == 1.5 || factor == 3 || factor == 7)) continue;
      const double tick = factor * std::pow(10, power);
      if (tick >= lowest * (1 - 1e-9) && tick <= highest * (1 + 1e-9) && (factor == 1 || !sparse))
        ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value) { return fmt::format("{:.6g}", std::abs(value) < 1e-12 ? 0.0 : value); }

}  // namespace cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choice.hpp"

#include <algorithm>

#include "core/median.hpp"

namespace halocline::tune {

constexpr double hopeless_ratio = 1.15;

io::Quantiles quantiles_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {percentile(seconds, 0.25), percentile(seconds, 0.5), percentile(seconds, 0.75)};
}

double ratio_of(const io::TunedTrial& trial) { return trial.seconds.p50 / trial.of_default.p50; }

bool is_better(const io::TunedTrial& trial) {
  return trial.seconds.p50 <= (1 - least_gain) * trial.of_default.p50 && trial.seconds.p25 < trial.of_default.p25;
}

bool is_promising(const io::TunedTrial& trial) {
  return trial.seconds.p50 <= (1 - least_gain) * trial.of_default.p50 ||
         trial.seconds.p25 <= (1 - least_gain) * trial.of_default.p25;
}

bool is_before(const io::TunedTrial& a, const io::TunedTrial& b) {
  return a.seconds.p25 * b.of_default.p25 < b.seconds.p25 * a.of_default.p25;
}

bool is_hopeless(const io::TunedTrial& trial) { return trial.seconds.p25 > hopeless_ratio * trial.of_default.p75; }

io::Settings together(std::span<const io::TunedTrial> fastest_first) {
  io::Settings all;
  for (const io::TunedTrial& trial : fastest_first) {
    const auto is_free = [&](const auto& setting) { return !all.contains(setting.first); };
    if (is_promising(trial) && std::ranges::all_of(trial.settings, is_free)) {
      all.insert(trial.settings.begin(), trial.settings.end());
    }
  }
  return all;
}

const io::TunedTrial* winner_of(std::span<const io::TunedTrial> confirmed) {
  const io::TunedTrial* best = nullptr;
  for (const io::TunedTrial& trial : confirmed) {
    if (is_better(trial) && (best == nullptr || trial.seconds.p50 < best->seconds.p50)) best = &trial;
  }
  return best;
}

}  // namespace halocline::tune

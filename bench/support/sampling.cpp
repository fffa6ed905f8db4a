// SPDX-License-Identifier: BSD-3-Clause
#include "support/sampling.hpp"

#include <algorithm>
#include <chrono>

#include "halocline/error.hpp"
#include "support/barrier.hpp"

namespace halocline::bench {
namespace {

constexpr int fewest = 3;

double one_exchange(comm::RankGroup& world, const Contender& contender) {
  start_together(world);
  const double begin = now();
  contender.exchange();
  contender.synchronize();
  return now() - begin;
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  if (values.empty()) throw InternalError("the spread of no values");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  return {sorted.front(), median, sorted.back()};
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int count_within(comm::RankGroup& world, double seconds, double once, int most) {
  const double slowest = world.all_reduce(once, comm::Reduction::max);
  const double fits = slowest > 0 ? seconds / slowest : most;
  return static_cast<int>(std::clamp<double>(fits, std::min(fewest, most), most));
}

Timing time_round(comm::RankGroup& world, const Contender& contender, const Budget& budget) {
  double once = 0;
  for (int i = 0; i < std::max(1, budget.warm_up); ++i) once = one_exchange(world, contender);
  Timing timing;
  const int samples = count_within(world, budget.seconds, once, budget.samples);
  for (int i = 0; i < samples; ++i) timing.samples.push_back(one_exchange(world, contender));
  world.all_reduce(std::span<double>(timing.samples), comm::Reduction::max);

  timing.steady_count = count_within(world, budget.seconds, timing.samples.back(), budget.steady);
  if (timing.steady_count == 0) return timing;
  timing.steady_count = (timing.steady_count + contender.at_once - 1) / contender.at_once * contender.at_once;
  start_together(world);
  const double begin = now();
  if (contender.back_to_back) {
    contender.back_to_back(timing.steady_count);
  } else {
    for (int i = 0; i < timing.steady_count; ++i) contender.exchange();
  }
  contender.synchronize();
  timing.steady = world.all_reduce((now() - begin) / timing.steady_count, comm::Reduction::max);
  return timing;
}

std::vector<std::vector<Timing>> take_turns(comm::RankGroup& world, std::span<const Contender> contenders,
                                            const Budget& budget) {
  std::vector<std::vector<Timing>> timings(contenders.size());
  for (int round = 0; round < budget.rounds; ++round) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      timings[c].push_back(time_round(world, contenders[c], budget));
    }
  }
  return timings;
}

}  // namespace halocline::bench

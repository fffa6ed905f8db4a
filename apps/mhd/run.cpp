// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/in_flight.hpp"
#include "core/median.hpp"
#include "halocline/error.hpp"
#include "mhd/mhd.hpp"
#include "mhd/step_clock.hpp"

namespace mhd {
namespace {

using halocline::comm::Reduction;

/// The fewest steps that end where they began: with the same current buffers (a step is three swaps of two buffers), and with an
/// exchange to come, of which each serves some substeps.
std::int64_t steps_of_cycle(int served) { return std::lcm(2 * Williamson::substeps, served) / Williamson::substeps; }
/// Shorter runs are not worth a trial.
constexpr std::int64_t tried_from = 20;
constexpr int trial_repeats = 3;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// The next multiple of a number of steps after a step; never if there is no such number.
std::int64_t next_multiple(std::int64_t step, std::int64_t every) {
  return every == 0 ? never : (step / every + 1) * every;
}

void refuse(const std::string& what) { throw halocline::InvalidArgument("mhd: " + what); }

}  // namespace

template <typename T>
void Solver<T>::check(const Settings& settings) const {
  if (settings.steps < 1) refuse(fmt::format("steps is {}; allowed is 1 or more", settings.steps));
  if (settings.warm_up < 0) refuse(fmt::format("warm_up is {}; allowed is 0 or more", settings.warm_up));
  if (settings.dt && (!(*settings.dt >= 0) || !std::isfinite(*settings.dt))) {
    refuse(fmt::format("dt is {}; allowed is 0 or a finite number above", *settings.dt));
  }
  if (!(settings.cfl > 0) || !(settings.cfl <= 1)) {
    refuse(fmt::format("cfl is {}; allowed is above 0 and at most 1", settings.cfl));
  }
  if (settings.cfl_every < 1) refuse(fmt::format("cfl_every is {}; allowed is 1 or more", settings.cfl_every));
  if (settings.diagnostics_every < 0) {
    refuse(fmt::format("diagnostics_every is {}; allowed is 0 or more", settings.diagnostics_every));
  }
  if (!settings.graph) return;
  if (!settings.dt) refuse("graph needs a fixed dt, as it is part of what is recorded");
  if (forcing_) refuse("graph excludes forcing, which is another wave in each step");
}

template <typename T>
Result Solver<T>::run(const Settings& settings,
                      const std::function<void(std::int64_t step, std::int64_t steps)>& progress, const Stops& stops) {
  check(settings);
  since_exchange_ = 0;
  const std::int64_t cycle_steps = steps_of_cycle(domain_.plan().steps_per_exchange);
  auto comm = domain_.plan().comm;
  const auto& host_clock = halocline::Clock::steady();
  apps::InFlight in_flight(domain_);
  Result result;
  const std::int64_t all = settings.warm_up + settings.steps;
  std::optional<StepClock> clock;
  auto start = host_clock.now();
  const std::int64_t first = position_.step;
  std::int64_t done = 0;
  std::int64_t waited_at = 0;
  std::int64_t next_diagnostics = next_multiple(first, settings.diagnostics_every);
  std::int64_t next_stop = stops.next ? stops.next(first) : never;

  result.overlapped = settings.overlap ? *settings.overlap : all < tried_from || try_overlap(trial_repeats);

  std::optional<halocline::Graph> cycle;
  if (settings.graph) {
    // Graph counts no step: what is enqueued runs when it is replayed.
    auto capture = domain_.capture();
    for (std::int64_t i = 0; i < cycle_steps * Williamson::substeps; ++i) {
      substep(Substep<T>::of(static_cast<int>(i % Williamson::substeps), *settings.dt), result.overlapped);
    }
    cycle.emplace(capture.finish());
    comm.barrier();
  }
  const auto advance = [&](std::int64_t steps) {
    if (steps > 1) {
      cycle->launch();
      for (std::int64_t i = 0; i < steps; ++i) {  // rounds as step() does
        position_ = {position_.step + 1, position_.time + result.dt, result.dt};
      }
    } else {
      step(result.dt, result.overlapped);
    }
    done += steps;
    result.stretches.back().steps += steps;
  };

  std::vector<double> lengths;  // in steps, of what is between two marks
  std::int64_t marked = 0;      // steps that were done at the last mark
  const auto dt_is_due = [&] { return !settings.dt && position_.step % settings.cfl_every == 0; };
  result.dt = settings.dt.value_or(position_.dt);
  result.stretches.push_back({0, result.dt});
  while (done < all) {
    if (done == settings.warm_up) {
      domain_.synchronize();
      comm.barrier();
      clock.emplace(domain_);
      start = host_clock.now();
      clock->start();
      marked = done;
    }
    if (dt_is_due() || (!settings.dt && result.dt == 0)) {
      result.dt = time_step(settings.cfl);
      if (result.dt != result.stretches.back().dt) result.stretches.push_back({0, result.dt});
      if (clock) clock->start();
    }
    const std::int64_t end = done < settings.warm_up ? settings.warm_up : all;
    const std::int64_t until = std::min({first + end, next_diagnostics, next_stop});
    // A cycle begins with the buffers that it was recorded with.
    const bool replayed = cycle && done % cycle_steps == 0 && until - position_.step >= cycle_steps;
    advance(replayed ? cycle_steps : 1);
    // With what an exchange serves, as long as nothing else comes between.
    if (clock && (since_exchange_ == 0 || position_.step == until || dt_is_due())) {
      clock->lap();
      lengths.push_back(static_cast<double>(done - marked));
      marked = done;
    }
    if (position_.step == next_diagnostics) {
      next_diagnostics = next_multiple(position_.step, settings.diagnostics_every);
      if (done < all) result.diagnostics.push_back(diagnostics());
      if (clock) clock->start();
    }
    if (position_.step == next_stop) {
      next_stop = done < all ? stops.next(position_.step) : never;
      stops.at(position_);
      if (clock) clock->start();
    }
    if (done - waited_at >= apps::InFlight::steps_in_flight / 2) {
      waited_at = done;
      in_flight.wait();
      if (clock) clock->collect();
      if (progress) progress(done, all);
    }
  }
  domain_.synchronize();
  result.total_seconds =
      comm.all_reduce(std::chrono::duration<double>(host_clock.now() - start).count(), Reduction::max);
  clock->collect();
  result.step_seconds = clock->ends();
  comm.all_reduce(std::span<double>(result.step_seconds), Reduction::max);
  std::adjacent_difference(result.step_seconds.begin(), result.step_seconds.end(), result.step_seconds.begin());
  for (std::size_t i = 0; i < result.step_seconds.size(); ++i) result.step_seconds[i] /= lengths[i];
  result.median_step_seconds = halocline::median(result.step_seconds);
  result.diagnostics.push_back(diagnostics());
  result.steps = position_.step;
  result.time = position_.time;
  if (progress) progress(all, all);
  return result;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace mhd

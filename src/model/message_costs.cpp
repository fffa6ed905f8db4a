// SPDX-License-Identifier: BSD-3-Clause
#include "model/message_costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "halocline/error.hpp"

namespace halocline::model {
namespace {

using machine::Software;

constexpr std::size_t unknowns = 4;
using Costs = std::array<double, unknowns>;  ///< seconds; the last one's of a KiB
constexpr std::array<double Software::*, unknowns - 1> members{&Software::mpi_overhead, &Software::device_launch,
                                                               &Software::mpi_latency};
constexpr double least_cost = 1e-9;
constexpr int most_steps = 12;

/// A linear equation for costs.
struct Equation {
  Costs factors{};
  double value = 0;
};

/// Solves the normal equations for the costs in `taken`, the others being least_cost; nothing if they do not determine them.
std::optional<Costs> solve(std::span<const Equation> equations, std::array<bool, unknowns> taken) {
  std::array<std::array<double, unknowns + 1>, unknowns> rows{};
  for (std::size_t i = 0; i < unknowns; ++i) {
    if (!taken[i]) {
      rows[i][i] = 1;
      rows[i][unknowns] = least_cost;
      continue;
    }
    for (const Equation& equation : equations) {
      for (std::size_t j = 0; j < unknowns; ++j) rows[i][j] += equation.factors[i] * equation.factors[j];
      rows[i][unknowns] += equation.factors[i] * equation.value;
    }
  }
  for (std::size_t i = 0; i < unknowns; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i; k < unknowns; ++k) {
      if (std::abs(rows[k][i]) > std::abs(rows[pivot][i])) pivot = k;
    }
    if (std::abs(rows[pivot][i]) < 1e-12) return std::nullopt;
    std::swap(rows[i], rows[pivot]);
    for (std::size_t k = 0; k < unknowns; ++k) {
      if (k == i) continue;
      const double factor = rows[k][i] / rows[i][i];
      for (std::size_t j = i; j <= unknowns; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  Costs costs{};
  for (std::size_t i = 0; i < unknowns; ++i) costs[i] = rows[i][unknowns] / rows[i][i];
  return costs;
}

double squares(std::span<const Equation> equations, const Costs& costs) {
  double sum = 0;
  for (const Equation& equation : equations) {
    double error = -equation.value;
    for (std::size_t j = 0; j < unknowns; ++j) error += equation.factors[j] * costs[j];
    sum += error * error;
  }
  return sum;
}

/// Least squares with all costs at least least_cost: the best of all choices of which are above it.
Costs solve_above_zero(std::span<const Equation> equations) {
  Costs best;
  best.fill(least_cost);
  double least = squares(equations, best);
  for (unsigned bits = 1; bits < (1U << unknowns); ++bits) {
    std::array<bool, unknowns> taken{};
    for (std::size_t j = 0; j < unknowns; ++j) taken[j] = (bits >> j & 1U) != 0;
    const auto found = solve(equations, taken);
    if (!found || std::ranges::any_of(*found, [](double cost) { return !(cost >= least_cost); })) continue;
    const double error = squares(equations, *found);
    if (error >= least) continue;
    least = error;
    best = *found;
  }
  return best;
}

/// The trials as functions of the costs, in parts of their measured times.
class Fit {
 public:
  Fit(const Software& start, std::span<const MessageTrial> trials) : start_(start), trials_(trials) {}

  [[nodiscard]] Software software(const Costs& costs) const {
    Software made = start_;
    for (std::size_t j = 0; j < members.size(); ++j) made.*members[j] = costs[j];
    made.mpi_injection = 1024 / costs.back();
    made.one_core = true;
    return made;
  }
  [[nodiscard]] std::vector<double> times(const Costs& costs) const {
    std::vector<double> times;
    for (const MessageTrial& trial : trials_) times.push_back(trial.simulated(software(costs)) / trial.seconds);
    return times;
  }
  [[nodiscard]] static double error(std::span<const double> times) {
    double sum = 0;
    for (const double time : times) sum += (time - 1) * (time - 1);
    return sum;
  }
  /// The simulation as a linear function near some costs.
  [[nodiscard]] std::vector<Equation> near(const Costs& costs, std::span<const double> times) const {
    std::vector<Equation> equations(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) equations[i].value = 1 - times[i];
    for (std::size_t j = 0; j < unknowns; ++j) {
      Costs moved = costs;
      const double step = std::max(0.02 * costs[j], 1e-7);
      moved[j] += step;
      const std::vector<double> there = this->times(moved);
      for (std::size_t i = 0; i < times.size(); ++i) {
        equations[i].factors[j] = (there[i] - times[i]) / step;
        equations[i].value += equations[i].factors[j] * costs[j];
      }
    }
    // In units of microseconds, so that the normal equations are of order 1.
    for (Equation& equation : equations) {
      for (double& factor : equation.factors) factor *= 1e-6;
    }
    return equations;
  }

 private:
  const Software& start_;
  std::span<const MessageTrial> trials_;
};

/// Newton's method, by the linear function near each step's costs, with shorter steps where a whole one is no better.
std::pair<Costs, double> search(const Fit& fit, Costs costs) {
  std::vector<double> times = fit.times(costs);
  for (int step = 0; step < most_steps; ++step) {
    const Costs wanted = solve_above_zero(fit.near(costs, times));
    bool better = false;
    for (double part = 1; part > 0.01 && !better; part /= 2) {
      Costs tried;
      for (std::size_t j = 0; j < unknowns; ++j) {
        tried[j] = std::max(costs[j] + part * (wanted[j] * 1e-6 - costs[j]), least_cost);
      }
      std::vector<double> found = fit.times(tried);
      if (Fit::error(found) >= (1 - 1e-6) * Fit::error(times)) continue;
      better = true;
      costs = tried;
      times = std::move(found);
    }
    if (!better) break;
  }
  return {costs, Fit::error(times)};
}

}  // namespace

MessageCosts fit_message_costs(const Software& start, std::span<const MessageTrial> trials) {
  if (trials.empty()) throw InvalidArgument("there are no trials; allowed are 1 or more");
  for (const MessageTrial& trial : trials) {
    if (trial.seconds > 0 && std::isfinite(trial.seconds)) continue;
    throw InvalidArgument(
        fmt::format("the time of a trial is {} s; allowed is a finite number above 0", trial.seconds));
  }
  const Fit fit(start, trials);
  // The simulation is linear in pieces, so that a search from one place may end in another piece than the best.
  Costs best{};
  double least = std::numeric_limits<double>::infinity();
  for (const double overhead : {1e-6, 1e-5, 1e-4}) {
    for (const double latency : {1e-6, 1e-4, 1e-3}) {
      const auto [costs, error] = search(fit, {overhead, 1e-6, latency, 1e-6});
      if (error >= least) continue;
      least = error;
      best = costs;
    }
  }
  MessageCosts result{fit.software(best), 0};
  for (const double time : fit.times(best)) result.largest_error = std::max(result.largest_error, std::abs(time - 1));
  return result;
}

}  // namespace halocline::model

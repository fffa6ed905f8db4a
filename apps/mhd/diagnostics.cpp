// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "mhd/mhd.hpp"

namespace mhd {

using halocline::comm::Reduction;

namespace {

/// A power of two that neither value exceeds.
double scale_of(double min, double max) {
  const double largest = std::max(std::abs(min), std::abs(max));
  return largest > 0 ? std::ldexp(1.0, std::ilogb(largest) + 1) : 1;
}

}  // namespace

template <typename T>
Diagnostics Solver<T>::diagnostics() {
  const halocline::device::Range range(internals(domain_).backend(), "mhd: diagnostics");
  auto comm = domain_.plan().comm;
  const auto subdomains = domain_.subdomains();
  domain_.exchange();
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    kernels_->extremes(subdomains[i], reinterpret_cast<Extremes*>(results_[i].extremes->data()));
  }
  domain_.synchronize();
  std::array<double, quantity_count> min;
  std::array<double, quantity_count> max;
  min.fill(std::numeric_limits<double>::infinity());
  max.fill(-std::numeric_limits<double>::infinity());
  std::int64_t not_finite = 0;
  for (const Slots& slots : results_) {
    const auto& found = *reinterpret_cast<const Extremes*>(slots.extremes->data());
    for (std::size_t i = 0; i < quantity_count; ++i) {
      min[i] = std::min(min[i], found.min[i]);
      max[i] = std::max(max[i], found.max[i]);
    }
    not_finite += found.not_finite;
  }
  comm.all_reduce(std::span<double>(min), Reduction::min);
  comm.all_reduce(std::span<double>(max), Reduction::max);
  if (const auto all = comm.all_reduce(not_finite, Reduction::sum); all > 0) {
    throw halocline::InvalidArgument(fmt::format(
        "mhd: after {} steps {} values are not finite any more; allowed is a shorter time step (--dt, --cfl)",
        position_.step, all));
  }

  Scales scales{};
  for (std::size_t i = 0; i < quantity_count; ++i) scales.of[i] = scale_of(min[i], max[i]);
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    kernels_->sums(subdomains[i], scales, reinterpret_cast<Sums*>(results_[i].sums->data()));
  }
  domain_.synchronize();
  // Whole numbers: high and low of all sums, then of all sums of squares.
  std::array<std::int64_t, 4 * quantity_count> sums{};
  for (const Slots& slots : results_) {
    const auto& found = *reinterpret_cast<const Sums*>(slots.sums->data());
    for (std::size_t i = 0; i < quantity_count; ++i) {
      sums[4 * i] += found.of[i].high;
      sums[4 * i + 1] += found.of[i].low;
      sums[4 * i + 2] += found.of_squares[i].high;
      sums[4 * i + 3] += found.of_squares[i].low;
    }
  }
  comm.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  Diagnostics result;
  result.step = position_.step;
  result.time = position_.time;
  const auto cells = static_cast<double>(internals(domain_).geometry().partition.extent().volume());
  for (std::size_t i = 0; i < quantity_count; ++i) {
    result.of[i] = {min[i], max[i], scales.of[i] * from_fixed_point({sums[4 * i], sums[4 * i + 1]}) / cells,
                    scales.of[i] * std::sqrt(from_fixed_point({sums[4 * i + 2], sums[4 * i + 3]}) / cells)};
  }
  return result;
}

template <typename T>
double Solver<T>::time_step(double cfl) {
  const Diagnostics now = diagnostics();
  const Parameters& p = parameters_;
  const double h = *std::min_element(p.spacing.begin(), p.spacing.end());
  const double of_velocity = p.viscosity * 4 / 3 + p.bulk_viscosity;
  const double of_heat = p.conductivity * p.adiabatic_index / (p.heat_capacity * now.of[density].min);
  const double diffusion = std::max({of_velocity, p.diffusivity, of_heat});
  const double of_waves = h / now.of[fastest].max;
  return cfl * (diffusion > 0 ? std::min(of_waves, h * h / (4 * diffusion)) : of_waves);
}

template Diagnostics Solver<float>::diagnostics();
template Diagnostics Solver<double>::diagnostics();
template double Solver<float>::time_step(double);
template double Solver<double>::time_step(double);

}  // namespace mhd

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "mhd/update.hpp"

// What is reduced over all cells. Extremes do not depend on an order; sums are of whole numbers, so they do not either: how the
// domain is cut, and which thread is first, changes no bit.
namespace mhd {

/// The fields, then what is made of them.
inline constexpr int quantity_count = 13;
enum Quantity : int { density = field_count, kinetic_energy, magnetic_energy, thermal_energy, fastest };
inline constexpr std::array<std::string_view, quantity_count> quantity_names{
    "lnrho",          "ux",   "uy", "uz", "s", "ax", "ay", "az", "density", "kinetic energy", "magnetic energy",
    "thermal energy", "speed"};

/// For one cell: energies are per unit of volume, speed is |u| + sqrt(c_s^2 + B^2 / (mu_0 rho)).
template <typename T, int R, typename Values>
HALOCLINE_HOST_DEVICE double quantity(int which, const Values& f, const Scheme<T, R>& scheme) {
  if (which < field_count) return static_cast<double>(f(which, 0, 0, 0));
  const Constants<T>& c = scheme.constants;
  const T rho = exponential(f(lnrho, 0, 0, 0));
  if (which == density) return static_cast<double>(rho);
  const Vector<T> u{f(ux, 0, 0, 0), f(uy, 0, 0, 0), f(uz, 0, 0, 0)};
  const T u2 = dot<Separate>(u, u);
  if (which == kinetic_energy) return static_cast<double>(rho * u2 / 2);
  const T sound2 = square_of_sound(f(lnrho, 0, 0, 0), f(entropy, 0, 0, 0), c);
  // rho c_v T = rho c_s^2 / (gamma (gamma - 1)), and gamma = c_p gamma / c_p.
  if (which == thermal_energy) return static_cast<double>(rho * sound2 / ((c.density_to_log + 1) * c.density_to_log));
  const Differences<Separate, T, R, Values> d{f, scheme.weights};
  const Vector<T> b = magnetic_field<T>(d, c);
  const T pressure2 = c.inverse_permeability * dot<Separate>(b, b);
  if (which == magnetic_energy) return static_cast<double>(pressure2 / 2);
  return static_cast<double>(std::sqrt(u2) + std::sqrt(sound2 + pressure2 / rho));
}

struct Extremes {
  double min[quantity_count];
  double max[quantity_count];
  std::int64_t not_finite;  ///< values that are NaN or infinite, and are in neither
};

/// A number of at most 1 as two whole ones, each 31 bits of it, so that 2^32 of them can be added.
struct FixedPoint {
  std::int64_t high;
  std::int64_t low;
};
HALOCLINE_HOST_DEVICE inline FixedPoint fixed_point(double value) {
  constexpr double unit = 2147483648.0;  // 2^31
  const double scaled = value * unit;
  const double whole = std::floor(scaled);
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>((scaled - whole) * unit)};
}
[[nodiscard]] inline double from_fixed_point(const FixedPoint& sum) {
  constexpr double unit = 2147483648.0;
  return (static_cast<double>(sum.high) + static_cast<double>(sum.low) / unit) / unit;
}

/// Of all quantities, each as a part of its scale: a power of two that none exceeds.
struct Sums {
  FixedPoint of[quantity_count];
  FixedPoint of_squares[quantity_count];
};
struct Scales {
  double of[quantity_count];
};

}  // namespace mhd

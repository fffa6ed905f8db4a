// SPDX-License-Identifier: BSD-3-Clause
// D3Q19 with BGK collisions (Qian, d'Humieres, Lallemand, 1992), and a shear wave across all axes whose decay is known.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace lattice {

inline constexpr std::array<int, 3> extent{16, 32, 64};
inline constexpr double relaxation_time = 0.8;
inline constexpr double viscosity = (relaxation_time - 0.5) / 3;
inline constexpr int first_step = 40;  // before it, populations are still close to the equilibrium that they begin with
inline constexpr int last_step = 100;

using Populations = std::array<double, 19>;
using Vector = std::array<double, 3>;

/// At rest, and towards the faces and edges, in an order in which c and 19 - c are opposite.
inline constexpr std::array<std::array<int, 3>, 19> velocities = [] {
  std::array<std::array<int, 3>, 19> all{};
  std::size_t count = 1;
  for (int code = 0; code < 27; ++code) {
    const std::array<int, 3> e{code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    const int squared = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    if (squared == 1 || squared == 2) all[count++] = e;
  }
  return all;
}();
inline constexpr std::size_t opposite(std::size_t c) { return c == 0 ? 0 : 19 - c; }

inline constexpr double weight(std::size_t c) {
  const auto& [x, y, z] = velocities[c];
  constexpr std::array by_squared_speed{1. / 3, 1. / 18, 1. / 36};
  return by_squared_speed[static_cast<std::size_t>(x * x + y * y + z * z)];
}

inline Populations equilibrium(double density, const Vector& u) {
  Populations f{};
  const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (std::size_t c = 0; c < f.size(); ++c) {
    const auto& [x, y, z] = velocities[c];
    const double eu = x * u[0] + y * u[1] + z * u[2];
    f[c] = weight(c) * density * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * uu);
  }
  return f;
}

struct Moments {
  double density = 0;
  Vector velocity{};
};

inline Moments moments_of(const Populations& f) {
  Moments all;
  for (const double population : f) all.density += population;
  for (std::size_t c = 0; c < f.size(); ++c) {
    for (std::size_t dim = 0; dim < 3; ++dim) all.velocity[dim] += f[c] * velocities[c][dim] / all.density;
  }
  return all;
}

inline Populations collide(Populations f) {
  const auto [density, velocity] = moments_of(f);
  const Populations rest = equilibrium(density, velocity);
  for (std::size_t c = 0; c < f.size(); ++c) f[c] += (rest[c] - f[c]) / relaxation_time;
  return f;
}

inline constexpr Vector wave_number{2 * std::numbers::pi / extent[0], 2 * std::numbers::pi / extent[1],
                                    2 * std::numbers::pi / extent[2]};
template <typename Integer>
double wave(Integer x, Integer y, Integer z) {
  return std::sin(wave_number[0] * static_cast<double>(x) + wave_number[1] * static_cast<double>(y) +
                  wave_number[2] * static_cast<double>(z));
}

/// Perpendicular to the wave number.
inline Vector velocity_of(double amplitude) { return {amplitude * wave_number[1], -amplitude * wave_number[0], 0}; }

/// A cell's part of the amplitude that is left of the wave.
inline double part_of_amplitude(const Populations& f, double wave_here) {
  const Vector u = moments_of(f).velocity;
  return u[0] * wave_here;
}

/// From the sums of part_of_amplitude over all cells at the first step and at the last one.
inline double measured_viscosity(double first, double last) {
  const auto& [x, y, z] = wave_number;
  return std::log(first / last) / (last_step - first_step) / (x * x + y * y + z * z);
}

}  // namespace lattice

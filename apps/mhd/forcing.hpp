// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/view.hpp"

namespace mhd {

/// A wave of velocity: real cos(theta) - imaginary sin(theta), theta = 2 pi (waves . x / extent) + phase.
struct Wave {
  halocline::Vec3 waves;  ///< whole ones along the domain, in x, y, z
  double phase = 0;
  double real[3] = {0, 0, 0};
  double imaginary[3] = {0, 0, 0};
};

/// theta at a cell, bit for bit the same for a cell of the domain and its nearest periodic images.
HALOCLINE_HOST_DEVICE inline double angle_of(const Wave& wave, const halocline::Vec3& extent, std::int64_t x,
                                             std::int64_t y, std::int64_t z) {
  constexpr double two_pi = 6.283185307179586476925286766559;
  const auto part = [](std::int64_t k, std::int64_t p, std::int64_t n) {
    const std::int64_t inside = p < 0 ? p + n : (p < n ? p : p - n);
    return static_cast<double>(k * inside % n) / static_cast<double>(n);
  };
  return two_pi *
             (part(wave.waves.x, x, extent.x) + part(wave.waves.y, y, extent.y) + part(wave.waves.z, z, extent.z)) +
         wave.phase;
}

/// Random helical waves, one a step: the forcing of turbulence that is common with the Pencil Code (Brandenburg, Astrophys. J.
/// 550 (2001) 824). Wave vectors are drawn from a shell, phases from a circle. A step's wave depends on the seed and the step
/// alone, so that all ranks know it.
struct ForcingSettings {
  double amplitude = 0;    ///< f_0; 0: none
  double wave_number = 3;  ///< k_f, in units of 2 pi / the domain's length in x
  double helicity = 1;     ///< of the waves, from -1 to 1; 1: fully helical
  std::uint64_t seed = 1;
};

class Forcing {
 public:
  /// Throws InvalidArgument where the shell of wave vectors within 1/2 of k_f is empty, k_f is above what the extent
  /// resolves, or a number is not allowed.
  Forcing(const ForcingSettings& settings, const halocline::Vec3& extent, const std::array<double, 3>& spacing,
          double sound_speed);
  /// What is added to the velocity at the end of a step: sqrt(dt) makes its power independent of dt.
  [[nodiscard]] Wave wave_of(std::int64_t step, double dt) const;

 private:
  ForcingSettings settings_;
  std::array<double, 3> unit_{};  ///< of wave numbers, in x, y, z
  std::vector<halocline::Vec3> shell_;
  double sound_speed_;
};

}  // namespace mhd

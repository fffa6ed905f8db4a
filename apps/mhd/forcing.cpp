// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/forcing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halocline/error.hpp"
#include "mhd/random.hpp"

namespace mhd {
namespace {

using Real3 = std::array<double, 3>;

Real3 cross_product(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot_product(const Real3& a, const Real3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void check_settings(const ForcingSettings& settings) {
  const auto refuse = [](const char* name, double value, const char* allowed) {
    throw halocline::InvalidArgument(fmt::format("mhd: the forcing's {} is {}; allowed is {}", name, value, allowed));
  };
  if (!(settings.amplitude >= 0) || !std::isfinite(settings.amplitude)) {
    refuse("amplitude", settings.amplitude, "0 or a finite number above");
  }
  if (!(settings.wave_number >= 1) || !(settings.wave_number <= 64)) {
    refuse("wave number", settings.wave_number, "1 to 64");
  }
  if (!(std::abs(settings.helicity) <= 1)) refuse("helicity", settings.helicity, "-1 to 1");
}

}  // namespace

Forcing::Forcing(const ForcingSettings& settings, const halocline::Vec3& extent, const std::array<double, 3>& spacing,
                 double sound_speed)
    : settings_(settings), sound_speed_(sound_speed) {
  check_settings(settings);
  halocline::Vec3 most;
  const double length_x = static_cast<double>(extent.x) * spacing[0];
  Real3 relative{};  // of the unit in x
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double length = static_cast<double>(extent[i]) * spacing[at];
    unit_[at] = 2 * std::numbers::pi / length;
    relative[at] = length_x / length;
    // A wave has four cells or more.
    most[i] = std::min(extent[i] / 4, static_cast<std::int64_t>((settings.wave_number + 0.5) / relative[at]));
  }
  for (std::int64_t z = -most.z; z <= most.z; ++z) {
    for (std::int64_t y = -most.y; y <= most.y; ++y) {
      for (std::int64_t x = -most.x; x <= most.x; ++x) {
        const double k = std::hypot(static_cast<double>(x) * relative[0], static_cast<double>(y) * relative[1],
                                    static_cast<double>(z) * relative[2]);
        if (std::abs(k - settings.wave_number) <= 0.5) shell_.push_back({x, y, z});
      }
    }
  }
  if (shell_.empty()) {
    throw halocline::InvalidArgument(fmt::format(
        "mhd: the forcing's wave number is {}, of which a domain of {} cells holds no wave of 4 cells or more",
        settings.wave_number, halocline::to_string(extent)));
  }
}

Wave Forcing::wave_of(std::int64_t step, double dt) const {
  const auto draw = [&](std::uint64_t stream) {
    return random_number(settings_.seed, stream, static_cast<std::uint64_t>(step));
  };
  Wave wave;
  wave.waves = shell_[static_cast<std::size_t>(draw(0) * static_cast<double>(shell_.size()))];
  wave.phase = 2 * std::numbers::pi * draw(1);
  const Real3 k{static_cast<double>(wave.waves.x) * unit_[0], static_cast<double>(wave.waves.y) * unit_[1],
                static_cast<double>(wave.waves.z) * unit_[2]};
  // A direction across k, turned by a random angle: any that is not along k serves as a start.
  const Real3 axis = std::abs(k[0]) <= std::min(std::abs(k[1]), std::abs(k[2])) ? Real3{1, 0, 0}
                     : std::abs(k[1]) <= std::abs(k[2])                         ? Real3{0, 1, 0}
                                                                                : Real3{0, 0, 1};
  const double length = std::sqrt(dot_product(k, k));
  Real3 first = cross_product(k, axis);
  const double norm = std::sqrt(dot_product(first, first));
  for (double& c : first) c /= norm;
  Real3 second = cross_product(k, first);
  for (double& c : second) c /= length;
  const double turn = 2 * std::numbers::pi * draw(2);
  const double sigma = settings_.helicity;
  // e + i sigma (k x e) / |k| up to its norm: curl of it is sigma |k| times itself.
  const double strength = settings_.amplitude * sound_speed_ * std::sqrt(length * sound_speed_ * dt);
  const double scale = strength / std::sqrt((1 + sigma * sigma) / 2);
  for (std::size_t i = 0; i < 3; ++i) {
    wave.real[i] = scale * (std::cos(turn) * first[i] + std::sin(turn) * second[i]);
    wave.imaginary[i] = scale * sigma * (std::cos(turn) * second[i] - std::sin(turn) * first[i]);
  }
  return wave;
}

}  // namespace mhd

// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/problem.hpp"

#include <cmath>
#include <numbers>

#include "halocline/error.hpp"
#include "mhd/random.hpp"

namespace mhd {
namespace {

using Values = std::array<double, field_count>;
using halocline::Vec3;

constexpr double two_pi = 2 * std::numbers::pi;

/// Radians along each dimension: 0 to 2 pi over the domain.
struct Angles {
  double x, y, z;
};
Angles angles(const Vec3& p, const Vec3& extent) {
  const auto of = [](std::int64_t at, std::int64_t n) {
    return two_pi * static_cast<double>(at) / static_cast<double>(n);
  };
  return {of(p.x, extent.x), of(p.y, extent.y), of(p.z, extent.z)};
}

InitialValues random_values(std::uint64_t seed, const Vec3& extent) {
  return [seed, extent](const Vec3& p) {
    const auto index = static_cast<std::uint64_t>((p.z * extent.y + p.y) * extent.x + p.x);
    Values values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_number(seed, i, index);
    return values;
  };
}

InitialValues sound_wave(double amplitude, const Vec3& extent, const Parameters& parameters) {
  return [=](const Vec3& p) {
    const double c = amplitude * std::cos(angles(p, extent).x);
    Values values{};
    values[lnrho] = parameters.log_density + c;
    values[ux] = parameters.sound_speed * c;
    return values;
  };
}

/// Along a field that points to the right, velocity and field are opposite: delta B = - sqrt(mu_0 rho) delta u.
InitialValues alfven_wave(double amplitude, const Vec3& extent, const Parameters& parameters) {
  if (!(parameters.imposed_field[0] > 0)) {
    throw halocline::InvalidArgument("mhd: an Alfvén wave needs an imposed field along x that is above 0");
  }
  const double of_field = amplitude * std::sqrt(parameters.permeability * std::exp(parameters.log_density));
  const double k = two_pi / (static_cast<double>(extent.x) * parameters.spacing[0]);
  return [=](const Vec3& p) {
    const double x = angles(p, extent).x;
    Values values{};
    values[lnrho] = parameters.log_density;
    values[uy] = amplitude * std::cos(x);
    values[uz] = amplitude * std::sin(x);
    values[ay] = of_field * std::cos(x) / k;
    values[az] = of_field * std::sin(x) / k;
    return values;
  };
}

InitialValues orszag_tang(double amplitude, const Vec3& extent, const Parameters& parameters) {
  constexpr double in_depth = 0.2;
  const double speed = amplitude * parameters.sound_speed;
  const double field = speed * std::sqrt(parameters.permeability * std::exp(parameters.log_density));
  const double length = static_cast<double>(extent.x) * parameters.spacing[0] / two_pi;
  return [=](const Vec3& p) {
    const Angles a = angles(p, extent);
    Values values{};
    values[lnrho] = parameters.log_density;
    values[ux] = -speed * (1 + in_depth * std::sin(a.z)) * std::sin(a.y);
    values[uy] = speed * (1 + in_depth * std::sin(a.z)) * std::sin(a.x);
    values[uz] = speed * in_depth * std::sin(a.z);
    values[az] = field * length * (std::cos(a.y) + std::cos(2 * a.x) / 2);
    return values;
  };
}

/// Waves of up to three lengths of the domain in each dimension. Their velocity has no divergence: it is across the wave
/// vector. Each has the same energy.
InitialValues random_waves(const Problem& problem, double speed, double field, const Vec3& extent,
                           const Parameters& parameters) {
  constexpr std::uint64_t count = 12;
  ForcingSettings settings;
  settings.amplitude = 1;
  settings.wave_number = 2;
  settings.seed = problem.seed;
  settings.helicity = 0;
  // As the forcing draws them: the number is the step. Its scale is taken out again.
  const Forcing waves(settings, extent, parameters.spacing, 1);
  std::array<Wave, 2 * count> all;
  const double length = static_cast<double>(extent.x) * parameters.spacing[0] / two_pi;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Wave& wave = all[i];
    wave = waves.wave_of(static_cast<std::int64_t>(i), 1);
    double norm = 0;
    for (const double c : wave.real) norm += c * c;
    const double size = (i < count ? speed : field * length / 2) * std::sqrt(2.0 / count / norm);
    for (double& c : wave.real) c *= size;
  }
  return [all, extent, log_density = parameters.log_density](const Vec3& p) {
    Values values{};
    values[lnrho] = log_density;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double c = std::cos(angle_of(all[i], extent, p.x, p.y, p.z));
      for (std::size_t k = 0; k < 3; ++k) values[(i < count ? ux : ax) + k] += all[i].real[k] * c;
    }
    return values;
  };
}

}  // namespace

double default_amplitude(Start start) {
  switch (start) {
    case Start::random: return 1;
    case Start::sound_wave: return 1e-4;
    case Start::alfven_wave: return 1e-2;
    case Start::orszag_tang: return 0.5;
    case Start::decaying: return 0.3;
    case Start::forced: break;
  }
  return 1e-3;
}

Parameters adapted(Parameters parameters, Start start) {
  if (start == Start::alfven_wave && parameters.imposed_field[0] == 0) parameters.imposed_field[0] = 1;
  return parameters;
}

ForcingSettings default_forcing(Start start) {
  ForcingSettings settings;
  settings.amplitude = start == Start::forced ? 0.05 : 0;
  return settings;
}

InitialValues initial_values(const Problem& problem, const Vec3& extent, const Parameters& parameters) {
  const double amplitude = problem.amplitude.value_or(default_amplitude(problem.start));
  const double to_field = std::sqrt(parameters.permeability * std::exp(parameters.log_density));
  const double speed = amplitude * parameters.sound_speed;
  switch (problem.start) {
    case Start::random: return random_values(problem.seed, extent);
    case Start::sound_wave: return sound_wave(amplitude, extent, parameters);
    case Start::alfven_wave: return alfven_wave(amplitude, extent, parameters);
    case Start::orszag_tang: return orszag_tang(amplitude, extent, parameters);
    case Start::decaying: return random_waves(problem, speed, speed * to_field, extent, parameters);
    case Start::forced: break;
  }
  return random_waves(problem, 0, speed * to_field, extent, parameters);
}

}  // namespace mhd

// SPDX-License-Identifier: BSD-3-Clause
// Linear waves travel at the phase speed of the discrete derivatives, which converges to the physical speed.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "mhd/weights.hpp"
#include "mhd_case.hpp"

namespace {

using halocline::Vec3;

constexpr Vec3 wave_extent{32, 8, 8};
constexpr double dt = 0.04;
constexpr int steps = 40;

/// The effective wave number of differences of order 2 R for a wave number k (spacing h): of the first derivative, and
/// the root of the second's.
template <int R>
std::pair<double, double> seen(double k, double h) {
  using Unit = mhd::UnitWeights<R>;
  double first = 0;
  auto second = static_cast<double>(Unit::centre);
  for (std::size_t m = 0; m < R; ++m) {
    const double angle = static_cast<double>(m + 1) * k * h;
    first += 2 * static_cast<double>(Unit::first[m]) * std::sin(angle);
    second += 2 * static_cast<double>(Unit::second[m]) * std::cos(angle);
  }
  return {first / h, std::sqrt(-second) / h};
}
std::pair<double, double> seen(int order, double k, double h) {
  switch (order) {
    case 2: return seen<1>(k, h);
    case 4: return seen<2>(k, h);
    case 6: return seen<3>(k, h);
    default: return seen<4>(k, h);
  }
}

/// The Fourier component of one period in x: sum of f exp(-i x) over all cells.
std::complex<double> wave_in(const std::vector<double>& field) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const double x = 2 * std::numbers::pi * static_cast<double>(i % wave_extent.x) / static_cast<double>(wave_extent.x);
    sum += field[i] * std::polar(1.0, -x);
  }
  return sum / static_cast<double>(field.size());
}

/// The factor by which a combination of waves in fields changes over a time.
using Combination = std::function<std::complex<double>(mhd::Solver<double>&)>;
std::complex<double> factor(int order, const mhd::Problem& problem, const mhd::Parameters& parameters,
                            const Combination& wave) {
  std::complex<double> result;
  mhd_test::on_solvers<double>({wave_extent, order, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise(mhd::initial_values(problem, wave_extent, parameters));
    const auto before = wave(solver);
    for (int i = 0; i < steps; ++i) solver.step(dt);
    result = wave(solver) / before;
  });
  return result;
}
Combination in(int field) {
  return [field](mhd::Solver<double>& solver) { return wave_in(solver.gather(field)); };
}
/// The domain is 2 pi long, so that angles are distances. Waves to the right have decreasing angles.
double speed_of(std::complex<double> factor) { return -std::arg(factor) / (steps * dt); }

TEST(Waves, SoundTravelsAsTheDifferencesSay) {
  auto parameters = mhd_test::without_diffusion(mhd_test::fluid(wave_extent));
  for (const double sound : {1.0, 0.7}) {
    parameters.sound_speed = sound;
    for (const int order : mhd::orders) {
      const auto wave = factor(order, {mhd::Start::sound_wave, 1e-6}, parameters, in(mhd::ux));
      const double expected = sound * seen(order, 1, parameters.spacing[0]).first;
      EXPECT_NEAR(speed_of(wave), expected, 1e-6) << "order " << order;
      EXPECT_NEAR(std::abs(wave), 1, 1e-5) << "order " << order;
      if (order >= 6) {
        EXPECT_NEAR(speed_of(wave), sound, 2e-6);
      }
    }
  }
}

/// The field is curl A; its current uses second derivatives, whose effective wave number is k. The combination u + i k
/// A / sqrt(mu_0 rho) is the wave to the right.
TEST(Waves, AlfvensTravelAsTheDifferencesSay) {
  auto parameters = mhd_test::without_diffusion(mhd_test::fluid(wave_extent));
  parameters.imposed_field = {0.8, 0, 0};
  parameters.permeability = 1.4;
  parameters.log_density = std::log(1.5);
  const double root = std::sqrt(1.4 * 1.5);
  for (const int order : mhd::orders) {
    const double k = seen(order, 1, parameters.spacing[0]).second;
    for (const bool y : {true, false}) {
      const auto wave = factor(order, {mhd::Start::alfven_wave, 1e-4}, parameters, [&](auto& solver) {
        const std::complex<double> of_a(0, (y ? 1 : -1) * k / root);
        return wave_in(solver.gather(y ? mhd::uy : mhd::uz)) + of_a * wave_in(solver.gather(y ? mhd::az : mhd::ay));
      });
      EXPECT_NEAR(speed_of(wave), 0.8 / root * k, 1e-6) << "order " << order;
      EXPECT_NEAR(std::abs(wave), 1, 1e-5) << "order " << order;
      if (order >= 6) {
        EXPECT_NEAR(speed_of(wave), 0.8 / root, 2e-6);
      }
    }
  }
}

/// With equal viscosity and diffusivity, the wave decays at the rate k^2 times that value, and its speed is unchanged.
TEST(Waves, AlfvensDecayByDiffusion) {
  auto parameters = mhd_test::fluid(wave_extent);
  parameters.viscosity = parameters.diffusivity = 0.05;
  parameters.imposed_field = {1, 0, 0};
  const auto wave = factor(6, {mhd::Start::alfven_wave, 1e-4}, parameters, in(mhd::uy));
  EXPECT_NEAR(std::abs(wave), std::exp(-0.05 * steps * dt), 1e-5);
  EXPECT_NEAR(speed_of(wave), 1, 1e-5);
}

/// u'' + D u' + k^2 c_s^2 u = 0 with D = (4/3 nu + zeta) k^2.
TEST(Waves, SoundDecaysByViscosity) {
  auto parameters = mhd_test::without_diffusion(mhd_test::fluid(wave_extent));
  parameters.viscosity = 0.02;
  parameters.bulk_viscosity = 0.01;
  const auto wave = factor(6, {mhd::Start::sound_wave, 1e-6}, parameters, in(mhd::ux));
  const double half = (0.02 * 4 / 3 + 0.01) / 2;
  const double omega = std::sqrt(1 - half * half);
  constexpr double time = steps * dt;
  const std::complex<double> slope(-half, -1);  // of u at the start, and D / 2
  const auto expected = std::exp(-half * time) * (std::cos(omega * time) + slope / omega * std::sin(omega * time));
  EXPECT_NEAR(std::abs(wave - expected), 0, 1e-5) << wave << " " << expected;
}

/// Entropy at rest with uniform pressure: with K / (rho c_p) = chi its wave decays at the rate chi k^2, as heat is
/// conducted at constant pressure.
TEST(Waves, EntropyDecaysByConduction) {
  auto parameters = mhd_test::without_diffusion(mhd_test::fluid(wave_extent));
  parameters.conductivity = 0.01;
  parameters.heat_capacity = 1.25;
  mhd_test::on_solvers<double>({wave_extent, 6, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise([&](const Vec3& p) {
      std::array<double, mhd::field_count> values{};
      values[mhd::entropy] =
          1e-6 * std::cos(2 * std::numbers::pi * static_cast<double>(p.x) / static_cast<double>(wave_extent.x));
      values[mhd::lnrho] = -values[mhd::entropy] / parameters.heat_capacity;
      return values;
    });
    const auto before = wave_in(solver.gather(mhd::entropy));
    for (int i = 0; i < steps; ++i) solver.step(dt);
    const auto after = wave_in(solver.gather(mhd::entropy));
    EXPECT_NEAR(std::abs(after / before), std::exp(-0.01 / 1.25 * steps * dt), 1e-4);
  });
}

}  // namespace

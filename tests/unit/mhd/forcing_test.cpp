// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "mhd_case.hpp"

namespace {

using halocline::Vec3;
using Real3 = std::array<double, 3>;

constexpr Vec3 forcing_extent{40, 20, 12};
constexpr std::array<double, 3> spacing{0.3, 0.2, 0.5};

Real3 wave_vector(const mhd::Wave& wave) {
  Real3 k{};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    k[at] = 2 * std::numbers::pi * static_cast<double>(wave.waves[i]) /
            (static_cast<double>(forcing_extent[i]) * spacing[at]);
  }
  return k;
}
double length(const Real3& a) { return std::hypot(a[0], a[1], a[2]); }

mhd::ForcingSettings settings(double helicity) {
  mhd::ForcingSettings forcing;
  forcing.amplitude = 0.2;
  forcing.wave_number = 2;
  forcing.helicity = helicity;
  return forcing;
}

/// Also of negative wave numbers, and where the remainder of a product is negative.
TEST(Forcing, AWaveHasTheSameBitsInACellsPeriodicImages) {
  const mhd::Forcing forcing(settings(1), forcing_extent, spacing, 1);
  for (int step = 0; step < 20; ++step) {
    const auto wave = forcing.wave_of(step, 0.01);
    halocline::for_each_cell({Vec3::filled(-1), Vec3::filled(2)}, [&](const Vec3& images) {
      for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{39, 19, 11}, Vec3{7, 18, 3}, Vec3{31, 1, 10}}) {
        const Vec3 image = p + images * forcing_extent;
        EXPECT_EQ(angle_of(wave, forcing_extent, p.x, p.y, p.z),
                  angle_of(wave, forcing_extent, image.x, image.y, image.z));
      }
    });
  }
}

/// The curl of the wave a cos - b sin is k x (a cos - b sin) shifted by a quarter period; the wave is helical if k x a
/// = |k| b.
TEST(Forcing, WavesAreAcrossTheirVectorAndAsHelicalAsWanted) {
  for (const double helicity : {1.0, -1.0, 0.0, 0.5}) {
    const mhd::Forcing forcing(settings(helicity), forcing_extent, spacing, 1);
    for (int step = 0; step < 50; ++step) {
      const auto wave = forcing.wave_of(step, 0.01);
      const Real3 k = wave_vector(wave);
      const double size = length(k);
      const double unit = 2 * std::numbers::pi / (40 * 0.3);
      EXPECT_NEAR(size / unit, 2, 0.5 + 1e-12);
      const Real3 a{wave.real[0], wave.real[1], wave.real[2]};
      const Real3 b{wave.imaginary[0], wave.imaginary[1], wave.imaginary[2]};
      EXPECT_NEAR(k[0] * a[0] + k[1] * a[1] + k[2] * a[2], 0, 1e-14);
      EXPECT_NEAR(k[0] * b[0] + k[1] * b[1] + k[2] * b[2], 0, 1e-14);
      const Real3 turned{k[1] * a[2] - k[2] * a[1], k[2] * a[0] - k[0] * a[2], k[0] * a[1] - k[1] * a[0]};
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(helicity * turned[i], size * b[i], 1e-14);
      // The mean square of a wave does not depend on its helicity.
      const double expected = 0.2 * 0.2 * size * 0.01;
      EXPECT_NEAR((std::pow(length(a), 2) + std::pow(length(b), 2)) / 2, expected, 1e-12);
    }
  }
}

TEST(Forcing, IsAnotherWaveInEachStepAndTheSameForASeed) {
  const mhd::Forcing forcing(settings(1), forcing_extent, spacing, 1);
  std::set<double> phases;
  for (int step = 0; step < 100; ++step) {
    phases.insert(forcing.wave_of(step, 0.01).phase);
    EXPECT_EQ(forcing.wave_of(step, 0.01).phase,
              mhd::Forcing(settings(1), forcing_extent, spacing, 1).wave_of(step, 0.01).phase);
  }
  EXPECT_EQ(phases.size(), 100u);
  auto other = settings(1);
  other.seed = 2;
  EXPECT_NE(forcing.wave_of(0, 0.01).phase, mhd::Forcing(other, forcing_extent, spacing, 1).wave_of(0, 0.01).phase);
}

/// After a step from rest the fields hold the wave.
TEST(Forcing, MovesAFluidAtRest) {
  auto parameters = mhd_test::fluid(forcing_extent);
  parameters.spacing = spacing;
  mhd_test::on_solvers<double>({forcing_extent, 4, 1, 4}, parameters, settings(1), [&](auto&, auto& solver) {
    solver.initialise([](const Vec3&) { return std::array<double, mhd::field_count>{}; });
    solver.step(0.01);
    const auto wave = mhd::Forcing(settings(1), forcing_extent, spacing, 1).wave_of(0, 0.01);
    const auto fields = mhd_test::gather(solver);
    std::size_t index = 0;
    halocline::for_each_cell(halocline::Box::of_extent(forcing_extent), [&](const Vec3& p) {
      double angle = wave.phase;
      for (int i = 0; i < 3; ++i) {
        angle += wave_vector(wave)[static_cast<std::size_t>(i)] * spacing[static_cast<std::size_t>(i)] *
                 static_cast<double>(p[i]);
      }
      for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_NEAR(fields[mhd::ux + i][index], wave.real[i] * std::cos(angle) - wave.imaginary[i] * std::sin(angle),
                    1e-14);
      }
      ++index;
    });
  });
}

}  // namespace

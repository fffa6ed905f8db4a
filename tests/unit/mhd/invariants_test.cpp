// SPDX-License-Identifier: BSD-3-Clause
// Quantities that the equations conserve are conserved up to the scheme's order; the form is not conservative.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mhd_case.hpp"

namespace {

using halocline::Vec3;

struct Drift {
  double mass = 0;
  double energy = 0;
};

/// Waves of the domain's length in all fields, without symmetries.
mhd::InitialValues waves(const Vec3& extent) {
  return [extent](const Vec3& p) {
    const auto angle = [&](int dim) {
      return 2 * std::numbers::pi * static_cast<double>(p[dim]) / static_cast<double>(extent[dim]);
    };
    std::array<double, mhd::field_count> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto f = static_cast<double>(i);
      values[i] = 0.2 * std::sin(angle(0) + 0.3 * f) * std::cos(angle(1) - 0.5 * f) + 0.1 * std::cos(angle(2) + f * f);
    }
    return values;
  };
}

/// Relative changes of the totals after a fixed time.
Drift drift(int order, std::int64_t n, mhd::Parameters parameters) {
  const Vec3 extent{n, n, n};
  parameters.spacing = mhd::default_spacing(extent);
  constexpr double time = 0.125;
  constexpr int steps = 20;
  Drift result;
  mhd_test::on_solvers<double>({extent, order, 1, 1}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise(waves(extent));
    const auto total = [](const mhd::Diagnostics& d) {
      return d.of[mhd::kinetic_energy].mean + d.of[mhd::magnetic_energy].mean + d.of[mhd::thermal_energy].mean;
    };
    const auto before = solver.diagnostics();
    for (int i = 0; i < steps; ++i) solver.step(time / steps);
    const auto after = solver.diagnostics();
    result.mass = std::abs(after.of[mhd::density].mean / before.of[mhd::density].mean - 1);
    result.energy = std::abs(total(after) / total(before) - 1);
    // The state must have changed: the magnetic energy differs.
    EXPECT_GT(std::abs(after.of[mhd::magnetic_energy].mean / before.of[mhd::magnetic_energy].mean - 1), 1e-4);
  });
  return result;
}

/// short_of: how much lower than the nominal order the energy's may be, because of the time steps.
void expect_drift_falls(const mhd::Parameters& parameters, double short_of) {
  for (const int order : {2, 4, 6}) {
    const Drift coarse = drift(order, 16, parameters);
    const Drift fine = drift(order, 24, parameters);
    const auto least = [order](double slack) { return std::pow(1.5, order - slack); };
    EXPECT_GT(coarse.mass, least(0.3) * fine.mass) << "order " << order << ": " << coarse.mass << " to " << fine.mass;
    EXPECT_GT(coarse.energy, least(short_of) * fine.energy)
        << "order " << order << ": " << coarse.energy << " to " << fine.energy;
    EXPECT_LT(fine.mass, 1e-6);
    EXPECT_LT(fine.energy, 1e-5);
  }
}

TEST(Invariants, MassAndEnergyDriftWithTheOrder) { expect_drift_falls(mhd_test::without_diffusion({}), 0.3); }

/// Viscous and resistive heating balance the dissipated energy; the two terms of the bulk viscosity balance at constant
/// density only.
TEST(Invariants, DiffusionTurnsEnergyIntoHeat) {
  mhd::Parameters parameters;
  parameters.viscosity = parameters.diffusivity = 0.02;
  parameters.bulk_viscosity = 0;
  parameters.conductivity = 0.01;
  expect_drift_falls(parameters, 1.7);
}

TEST(Invariants, HeatingAndCoolingAddUp) {
  const Vec3 extent{8, 8, 8};
  auto parameters = mhd_test::fluid(extent);
  parameters.heating = 0.5;
  parameters.cooling = 0.2;
  mhd_test::on_solvers<double>({extent, 6, 1, 1}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise([](const Vec3&) { return std::array<double, mhd::field_count>{}; });
    const double before = solver.diagnostics().of[mhd::thermal_energy].mean;
    for (int i = 0; i < 20; ++i) solver.step(0.01);
    EXPECT_NEAR(solver.diagnostics().of[mhd::thermal_energy].mean - before, 0.3 * 0.2, 1e-9);
  });
}

/// Uniform entropy stays the same bit for bit without diffusion, and a fluid at rest stays at rest.
TEST(Invariants, UniformEntropyStays) {
  const Vec3 extent{12, 12, 12};
  const auto parameters = mhd_test::without_diffusion(mhd_test::fluid(extent));
  const auto start = mhd::initial_values({mhd::Start::decaying}, extent, parameters);
  mhd_test::on_solvers<double>({extent, 6, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise([&](const Vec3& p) {
      auto values = start(p);
      values[mhd::entropy] = 0.3;
      return values;
    });
    for (int i = 0; i < 5; ++i) solver.step(0.02);
    for (const double s : solver.gather(mhd::entropy)) ASSERT_EQ(s, 0.3);
    solver.initialise(
        [](const Vec3&) { return std::array<double, mhd::field_count>{0.1, 0, 0, 0, 0.2, 0.3, 0.4, 0.5}; });
    for (int i = 0; i < 3; ++i) solver.step(0.02);
    for (const double u : solver.gather(mhd::uy)) ASSERT_EQ(u, 0);
    for (const double a : solver.gather(mhd::az)) ASSERT_EQ(a, 0.5);
  });
}

}  // namespace

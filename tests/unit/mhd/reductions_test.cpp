// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "halocline/error.hpp"
#include "mhd_case.hpp"

namespace {

using halocline::Vec3;

constexpr Vec3 extent{12, 10, 9};

TEST(Reductions, AreThoseOfTheGatheredFields) {
  auto parameters = mhd_test::fluid(extent);
  mhd_test::on_solvers<double>({extent, 6, 1, 3}, parameters, {}, [&](auto&, auto& solver) {
    // Values of both signs and of very different magnitude.
    const auto start = mhd::initial_values({mhd::Start::random}, extent, parameters);
    solver.initialise([&](const Vec3& p) {
      auto values = start(p);
      values[mhd::uy] = (values[mhd::uy] - 0.5) * 1e6;
      values[mhd::az] = (values[mhd::az] - 0.9) * 1e-9;
      values[mhd::ax] = 0;
      return values;
    });
    const auto found = solver.diagnostics();
    const auto fields = mhd_test::gather(solver);
    for (std::size_t i = 0; i < mhd::field_count; ++i) {
      long double sum = 0;
      long double squares = 0;
      for (const double v : fields[i]) {
        sum += v;
        squares += static_cast<long double>(v) * v;
      }
      const auto cells = static_cast<long double>(fields[i].size());
      const auto largest = std::max(std::abs(found.of[i].min), std::abs(found.of[i].max));
      EXPECT_EQ(found.of[i].min, *std::min_element(fields[i].begin(), fields[i].end()));
      EXPECT_EQ(found.of[i].max, *std::max_element(fields[i].begin(), fields[i].end()));
      EXPECT_NEAR(found.of[i].mean, static_cast<double>(sum / cells), 1e-15 * largest);
      EXPECT_NEAR(found.of[i].rms, static_cast<double>(std::sqrt(squares / cells)), 1e-15 * largest);
    }
    EXPECT_EQ(found.of[mhd::ax].max, 0);
    EXPECT_EQ(found.of[mhd::ax].rms, 0);
    long double mass = 0;
    long double kinetic = 0;
    for (std::size_t i = 0; i < fields[0].size(); ++i) {
      const long double rho = std::exp(fields[mhd::lnrho][i]);
      mass += rho;
      kinetic += rho / 2 *
                 (std::pow(fields[mhd::ux][i], 2) + std::pow(fields[mhd::uy][i], 2) + std::pow(fields[mhd::uz][i], 2));
    }
    const auto cells = static_cast<long double>(fields[0].size());
    EXPECT_NEAR(found.of[mhd::density].mean, static_cast<double>(mass / cells), 1e-14);
    EXPECT_NEAR(found.of[mhd::kinetic_energy].mean / static_cast<double>(kinetic / cells), 1, 1e-13);
  });
}

/// A gas at rest with a uniform field: energies and speeds with known values.
TEST(Reductions, EnergiesAreThoseOfAUniformGas) {
  auto parameters = mhd_test::fluid(extent);
  parameters.imposed_field = {0.3, 0, 0.4};
  parameters.permeability = 2;
  parameters.sound_speed = 0.7;
  mhd_test::on_solvers<double>({extent, 4, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise([](const Vec3&) { return std::array<double, mhd::field_count>{0, 0.6, 0, 0.8, 0, 0, 0, 0}; });
    const auto of = solver.diagnostics().of;
    EXPECT_NEAR(of[mhd::magnetic_energy].mean, 0.25 / 4, 1e-15);
    EXPECT_NEAR(of[mhd::kinetic_energy].mean, 0.5, 1e-15);
    // p / (gamma - 1), p = rho c_s^2 / gamma
    EXPECT_NEAR(of[mhd::thermal_energy].mean, 0.49 / (5.0 / 3) / (2.0 / 3), 1e-15);
    EXPECT_NEAR(of[mhd::fastest].max, 1 + std::sqrt(0.49 + 0.125), 1e-15);
    EXPECT_NEAR(solver.time_step(0.4), 0.4 * parameters.spacing[0] / of[mhd::fastest].max, 1e-15);
  });
  parameters.viscosity = 0.3;
  parameters.bulk_viscosity = 0.2;
  mhd_test::on_solvers<double>({extent, 4, 2, 1}, parameters, {}, [&](auto&, auto& solver) {
    // A cell of one rank: all ranks get the same result.
    solver.initialise([](const Vec3& p) {
      std::array<double, mhd::field_count> values{};
      values[mhd::uz] = p == Vec3{0, 0, 0} ? 2 : 0;
      return values;
    });
    const double h = parameters.spacing[0];
    EXPECT_NEAR(solver.diagnostics().of[mhd::fastest].max, 2 + std::sqrt(0.49 + 0.125), 1e-15);
    EXPECT_NEAR(solver.time_step(0.4), 0.4 * h * h / (4 * (0.3 * 4 / 3 + 0.2)), 1e-15);
  });
}

TEST(Reductions, SayThatASolutionIsNotFinite) {
  const auto parameters = mhd_test::fluid(extent);
  mhd_test::on_solvers<double>({extent, 2, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    const auto start = mhd::initial_values({mhd::Start::random}, extent, parameters);
    solver.initialise([&](const Vec3& p) {
      auto values = start(p);
      if (p == Vec3{3, 4, 5}) values[mhd::uz] = NAN;
      return values;
    });
    // uz, and the kinetic energy and speed of that cell.
    EXPECT_THROW(static_cast<void>(solver.diagnostics()), halocline::InvalidArgument);
  });
}

TEST(FixedPoint, KeepsSignsAndSmallParts) {
  for (const double value : {0.0, 1.0, -1.0, 0.3, -0.3, 0x1p-61, -0x1p-61, 1 - 0x1p-53}) {
    EXPECT_NEAR(mhd::from_fixed_point(mhd::fixed_point(value)), value, 0x1p-61) << value;
  }
}

}  // namespace

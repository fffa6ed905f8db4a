// SPDX-License-Identifier: BSD-3-Clause
// The solver against the model, which is computed without Halocline.
#include <gtest/gtest.h>

#include "mhd/model.hpp"
#include "mhd_case.hpp"

namespace {

using halocline::Vec3;
using mhd_test::Shape;

constexpr double paper_dt = 1.19209e-7;

template <typename T>
void expect_near_model(const mhd::Model& model, const mhd_test::Fields<T>& found, double ulps, double scaled) {
  for (int i = 0; i < mhd::field_count; ++i) {
    SCOPED_TRACE(mhd::field_names[static_cast<std::size_t>(i)]);
    const auto distance = mhd::distance<T>(model.field(i), model.sizes(i), found[static_cast<std::size_t>(i)]);
    EXPECT_EQ(distance.cells, static_cast<std::int64_t>(found[static_cast<std::size_t>(i)].size()));
    EXPECT_LE(distance.ulps, ulps);
    EXPECT_LE(distance.scaled, scaled);
    EXPECT_EQ(distance.absolute, 0);
  }
}

/// The paper's set-up: at most 2 ulp after one step, for any number of devices and in every order. The paper gives no
/// spacing; the cells here are about 1 wide. With finer cells the rates, and their rounding errors, would be large
/// compared with the smallest values.
TEST(Model, OneStepFromRandomFieldsIsWithinTwoUlp) {
  for (const int order : mhd::orders) {
    // Different in each dimension, and cut unevenly.
    const Vec3 extent{32, 18, 17};
    mhd::Parameters parameters;
    parameters.spacing = {1, 1.25, 0.8};
    parameters.heating = 0.1;
    parameters.cooling = 0.03;
    parameters.imposed_field = {0.3, -0.2, 0.1};
    parameters.permeability = 1.4;
    parameters.heat_capacity = 1.2;
    parameters.log_density = 0.1;
    parameters.sound_speed = 0.9;
    const auto start = mhd::initial_values({mhd::Start::random}, extent, parameters);
    mhd::Model model(extent, order, parameters);
    model.start<double>(start);
    model.step(paper_dt);
    for (int devices = 1; devices <= 8; ++devices) {
      SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(devices) + " devices");
      const Shape shape{extent, order, 1, devices};
      mhd_test::on_solvers<double>(shape, parameters, {}, [&](auto&, auto& solver) {
        solver.initialise(start);
        solver.step(paper_dt);
        expect_near_model(model, mhd_test::gather(solver), 2, 1e-15);
      });
    }
  }
}

/// Steps that change the fields noticeably: accumulated rounding errors, relative to a field's largest value.
TEST(Model, StepsOfAVortexStayWithRounding) {
  const Vec3 extent{16, 16, 12};
  const auto parameters = mhd_test::fluid(extent);
  const auto start = mhd::initial_values({mhd::Start::orszag_tang}, extent, parameters);
  mhd::Model model(extent, 6, parameters);
  model.start<double>(start);
  constexpr int steps = 5;
  constexpr double dt = 0.05;
  for (int i = 0; i < steps; ++i) model.step(dt);
  mhd_test::on_solvers<double>({extent, 6, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise(start);
    for (int i = 0; i < steps; ++i) solver.step(dt);
    const auto found = mhd_test::gather(solver);
    for (int i = 0; i < mhd::field_count; ++i) {
      const auto distance = mhd::distance<double>(model.field(i), model.sizes(i), found[static_cast<std::size_t>(i)]);
      EXPECT_LE(distance.scaled, 1e-14) << mhd::field_names[static_cast<std::size_t>(i)];
    }
    EXPECT_NEAR(solver.time(), steps * dt, 1e-12);
  });
}

/// In single precision, one step as large as in a production run.
TEST(Model, SinglePrecisionIsAsNearAsItCanBe) {
  const Vec3 extent{16, 12, 12};
  const auto parameters = mhd_test::fluid(extent);
  const auto start = mhd::initial_values({mhd::Start::random}, extent, parameters);
  mhd::Model model(extent, 4, parameters);
  model.start<float>(start);
  model.step(paper_dt);
  mhd_test::on_solvers<float>({extent, 4, 1, 2}, parameters, {}, [&](auto&, auto& solver) {
    solver.initialise(start);
    solver.step(paper_dt);
    expect_near_model(model, mhd_test::gather(solver), 2, 3e-7);
  });
}

TEST(Distance, CountsUnitsOfTheLastPlace) {
  const auto at = [](double a, double b, double c, double d) {
    return mhd::distance<double>({1.0L, 1.5L, -0.75L, 0.0L}, {1.0, 2.0, 0.75, 0.0}, std::vector<double>{a, b, c, d});
  };
  EXPECT_EQ(at(1, 1.5, -0.75, 0).ulps, 0);
  EXPECT_EQ(at(1 + 0x1p-52, 1.5, -0.75, 0).ulps, 1);
  EXPECT_EQ(at(1, 1.5, -0.75 + 0x1p-52, 0).ulps, 2);
  EXPECT_EQ(at(1, 1.5, -0.75, 1e-3).ulps, 0);
  EXPECT_EQ(at(1, 1.5, -0.75, 1e-3).absolute, 1e-3);
  EXPECT_TRUE(std::isnan(at(1, NAN, -0.75, 0).ulps));
  EXPECT_EQ(at(1, 1.5, -0.75, 1.5).scaled, 1);
}

TEST(Distance, CountsRoundingsOfWhatIsAddedUp) {
  const auto roundings = [](double a, double b, double c) {
    return mhd::distance<double>({1.0L, 1e-9L, 0.0L}, {1.0, 2.0, 0.0}, std::vector<double>{a, b, c}).roundings;
  };
  EXPECT_LT(roundings(1, 1e-9, 0), 1e-9);
  EXPECT_NEAR(roundings(1 + 0x1p-52, 1e-9, 0), 1, 1e-6);
  EXPECT_NEAR(roundings(1, 1e-9 + 0x1p-51, 0), 1, 1e-6);
  EXPECT_TRUE(std::isinf(roundings(1, 1e-9, 1e-300)));
  EXPECT_TRUE(std::isnan(roundings(1, NAN, 0)));
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// The order of convergence of each derivative and of the right-hand sides, for smooth analytic fields.
#include <gtest/gtest.h>

#include <cmath>

#include "mhd/model_equations.hpp"
#include "mhd/update.hpp"

namespace {

using Real = long double;

/// a + b sin(k . x + phase), by field. All fields differ, and each depends on all coordinates.
struct Smooth {
  Real phase(int field) const { return 0.3L * static_cast<Real>(field) + 0.1L; }
  std::array<Real, 3> wave(int field) const {
    const auto f = static_cast<Real>(field);
    return {1 + f / 10, 0.7L - f / 13, 0.9L + f / 17};
  }
  Real angle(int field, const std::array<Real, 3>& x) const {
    const auto k = wave(field);
    return k[0] * x[0] + k[1] * x[1] + k[2] * x[2] + phase(field);
  }
  Real value(int field, const std::array<Real, 3>& x) const { return 0.2L + 0.5L * std::sin(angle(field, x)); }
  Real first(int field, const std::array<Real, 3>& x, int i) const {
    return 0.5L * wave(field)[static_cast<std::size_t>(i)] * std::cos(angle(field, x));
  }
  Real second(int field, const std::array<Real, 3>& x, int i, int j) const {
    return -0.5L * wave(field)[static_cast<std::size_t>(i)] * wave(field)[static_cast<std::size_t>(j)] *
           std::sin(angle(field, x));
  }
};

constexpr std::array<Real, 3> here{0.4L, -0.3L, 0.7L};
/// Different in x, y and z, so that swapped dimensions are detected.
constexpr std::array<double, 3> shape{1.0, 0.75, 1.25};

struct AroundHere {
  Smooth smooth;
  Real h;
  Real operator()(int field, int dx, int dy, int dz) const {
    return smooth.value(field, {here[0] + h * shape[0] * dx, here[1] + h * shape[1] * dy, here[2] + h * shape[2] * dz});
  }
};

template <int R>
struct At {
  explicit At(Real h) : f{{}, h} {
    const auto step = static_cast<double>(h);
    parameters.spacing = {step * shape[0], step * shape[1], step * shape[2]};
    parameters.imposed_field = {0.1, 0.2, -0.3};
    parameters.heating = 0.2;
    weights = mhd::make_weights<Real, R>(parameters.spacing);
  }
  AroundHere f;
  mhd::Parameters parameters;
  mhd::Weights<Real, R> weights;

  /// The errors of the 3 first, 3 second and 3 mixed derivatives of a field, and of the eight rates.
  std::vector<Real> errors() const {
    const mhd::Differences<mhd::Separate, Real, R, AroundHere> d{f, weights};
    const Smooth& s = f.smooth;
    constexpr int field = mhd::uy;
    std::vector<Real> all{d.template first<0>(field) - s.first(field, here, 0),
                          d.template first<1>(field) - s.first(field, here, 1),
                          d.template first<2>(field) - s.first(field, here, 2),
                          d.template second<0>(field) - s.second(field, here, 0, 0),
                          d.template second<1>(field) - s.second(field, here, 1, 1),
                          d.template second<2>(field) - s.second(field, here, 2, 2),
                          d.template mixed<0>(field) - s.second(field, here, 1, 2),
                          d.template mixed<1>(field) - s.second(field, here, 0, 2),
                          d.template mixed<2>(field) - s.second(field, here, 0, 1)};
    const auto found = mhd::rates<mhd::Separate>(f, weights, mhd::make_constants<Real>(parameters));
    const auto expected = mhd::rates_from<Real>(
        parameters, [&](int i) { return s.value(i, here); }, [&](int i, int a) { return s.first(i, here, a); },
        [&](int i, int a, int b) { return s.second(i, here, a, b); });
    for (std::size_t i = 0; i < mhd::field_count; ++i) all.push_back(found.of[i] - expected[i]);
    for (Real& error : all) error = std::fabs(error);
    return all;
  }
};

template <int R>
void expect_order() {
  const Real coarse = 0.25L;
  const auto before = At<R>(coarse).errors();
  const auto after = At<R>(coarse / 2).errors();
  ASSERT_EQ(before.size(), 17u);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto order = static_cast<double>(std::log2(before[i] / after[i]));
    testing::Test::RecordProperty("order" + std::to_string(2 * R) + "_" + std::to_string(i), std::to_string(order));
    EXPECT_NEAR(order, 2 * R, 0.25) << "order " << 2 * R << ", value " << i << ": " << static_cast<double>(before[i])
                                    << " to " << static_cast<double>(after[i]);
  }
}

TEST(Differences, ConvergeWithTheirOrder) {
  expect_order<1>();
  expect_order<2>();
  expect_order<3>();
  expect_order<4>();
}

/// Derivatives of order 2 R are exact for polynomials up to that degree.
template <int R>
void expect_exact_polynomials() {
  const auto weights = mhd::make_weights<Real, R>({1, 1, 1});
  for (int degree = 0; degree <= 2 * R; ++degree) {
    const auto f = [degree](int, int dx, int, int) {
      return std::pow(static_cast<Real>(dx), static_cast<Real>(degree));
    };
    const mhd::Differences<mhd::Separate, Real, R, decltype(f)> d{f, weights};
    EXPECT_NEAR(static_cast<double>(d.template first<0>(0)), degree == 1 ? 1 : 0, 1e-12) << degree;
    EXPECT_NEAR(static_cast<double>(d.template second<0>(0)), degree == 2 ? 2 : 0, 1e-12) << degree;
  }
  const auto xy = [](int, int dx, int dy, int dz) { return static_cast<Real>(dx * dy + 10 * dx * dz + 100 * dy * dz); };
  const mhd::Differences<mhd::Separate, Real, R, decltype(xy)> d{xy, weights};
  EXPECT_NEAR(static_cast<double>(d.template mixed<2>(0)), 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(d.template mixed<1>(0)), 10, 1e-11);
  EXPECT_NEAR(static_cast<double>(d.template mixed<0>(0)), 100, 1e-10);
}

TEST(Differences, AreExactForPolynomials) {
  expect_exact_polynomials<1>();
  expect_exact_polynomials<2>();
  expect_exact_polynomials<3>();
  expect_exact_polynomials<4>();
}

/// Only cells on an axis or on a diagonal of a plane are read: halos across corners are not exchanged.
TEST(Differences, ReadAxesAndDiagonalsOnly) {
  int reads = 0;
  const auto f = [&reads](int, int dx, int dy, int dz) {
    ++reads;
    const int zeros = (dx == 0 ? 1 : 0) + (dy == 0 ? 1 : 0) + (dz == 0 ? 1 : 0);
    const bool diagonal =
        zeros == 1 && (std::abs(dx) == std::abs(dy) || std::abs(dx) == std::abs(dz) || std::abs(dy) == std::abs(dz));
    EXPECT_TRUE(zeros >= 2 || diagonal) << dx << " " << dy << " " << dz;
    EXPECT_LE(std::max({std::abs(dx), std::abs(dy), std::abs(dz)}), 3);
    return 1.0;
  };
  mhd::Parameters parameters;
  static_cast<void>(mhd::rates<mhd::Separate>(f, mhd::make_weights<double, 3>(parameters.spacing),
                                              mhd::make_constants<double>(parameters)));
  EXPECT_GT(reads, 296);
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// The serial solution and the row kernels, each against independently known results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "laplace3d/row.hpp"
#include "laplace3d/serial.hpp"

namespace {

using halocline::Box;
using halocline::Vec3;
using laplace3d::Problem;
using laplace3d::Stencil;

/// An array with one layer around a box, and views of it.
struct Cells {
  explicit Cells(const Vec3& extent) : owned(Box::of_extent(extent)), around(owned.grown(one(), one())) {
    values.resize(static_cast<std::size_t>(around.volume()));
  }
  static Vec3 one() { return Vec3::filled(1); }
  template <typename T>
  [[nodiscard]] halocline::View<T> view() {
    const Vec3 size = around.extent();
    const std::int64_t cell = sizeof(double);
    auto* first = reinterpret_cast<std::byte*>(values.data()) + ((size.y + 1) * size.x + 1) * cell;
    return {first, owned, around, {cell, cell * size.x, cell * size.x * size.y}, 0};
  }
  Box owned;
  Box around;
  std::vector<double> values;
};

double on_a_wave(const Vec3& p) {
  return std::sin(0.3 * static_cast<double>(p.x)) + std::cos(0.2 * static_cast<double>(p.y)) +
         std::sin(0.1 * static_cast<double>(p.z));
}

TEST(LaplaceProblem, weights_add_up_to_one_so_that_a_constant_stays) {
  for (const auto stencil : {Stencil::points7, Stencil::points19}) {
    const auto c = default_coefficients(stencil);
    EXPECT_NEAR(c.alpha + 6 * c.beta + 12 * c.gamma, 1, 1e-15);
    EXPECT_TRUE(radius_of(stencil).lower() == Vec3::filled(1));
  }
  EXPECT_EQ(flops_of(Stencil::points7), 8);
  EXPECT_EQ(flops_of(Stencil::points19), 21);
}

TEST(LaplaceProblem, a_row_has_what_the_formula_says) {
  const Vec3 extent{7, 5, 4};
  for (const auto stencil : {Stencil::points7, Stencil::points19}) {
    const Problem problem{extent, stencil, {0.5, 0.25, stencil == Stencil::points19 ? 0.125 : 0}};
    Cells before(extent);
    Cells after(extent);
    halocline::for_each_cell(before.around, [&](const Vec3& p) { before.view<double>()(p) = on_a_wave(p); });
    laplace3d::update_box<double>(problem, before.owned, before.view<const double>(), after.view<double>());
    halocline::for_each_cell(before.owned, [&](const Vec3& p) {
      double expected = 0;
      halocline::for_each_cell({Vec3::filled(-1), Vec3::filled(2)}, [&](const Vec3& d) {
        const auto away = d.x * d.x + d.y * d.y + d.z * d.z;
        const double weights[] = {0.5, 0.25, problem.coefficients.gamma, 0};
        expected += weights[away] * on_a_wave(p + d);
      });
      EXPECT_NEAR(after.view<double>()(p), expected, 1e-14) << to_string(p);
    });
  }
}

TEST(LaplaceProblem, the_serial_solution_is_that_of_rows_bit_for_bit) {
  const Vec3 extent{9, 6, 5};
  for (const auto stencil : {Stencil::points7, Stencil::points19}) {
    const Problem problem{extent, stencil, default_coefficients(stencil)};
    Cells now(extent);
    laplace3d::initialise_box<double>(now.around, now.view<double>());
    Cells next = now;
    for (int step = 0; step < 5; ++step) {
      laplace3d::update_box<double>(problem, now.owned, now.view<const double>(), next.view<double>());
      std::swap(now.values, next.values);
    }
    const auto serial = laplace3d::solve_serially<double>(problem, 5);
    std::size_t i = 0;
    halocline::for_each_cell(now.owned, [&](const Vec3& p) {
      EXPECT_EQ(std::memcmp(&serial[i++], &now.view<double>()(p), sizeof(double)), 0) << to_string(p);
    });
  }
}

TEST(LaplaceProblem, fixed_values_are_approached) {
  // With few inner points the iteration converges to the discrete solution of Laplace's equation.
  const Problem problem{{3, 3, 3}, Stencil::points7, {0, 1.0 / 6, 0}};
  const auto late = laplace3d::solve_serially<double>(problem, 400);
  const auto later = laplace3d::solve_serially<double>(problem, 401);
  for (std::size_t i = 0; i < late.size(); ++i) EXPECT_NEAR(late[i], later[i], 1e-14);
  EXPECT_NE(late, laplace3d::solve_serially<double>(problem, 1));
}

TEST(LaplaceProblem, initial_values_jump_from_cell_to_cell) {
  halocline::for_each_cell({Vec3::filled(-2), Vec3::filled(9)}, [](const Vec3& p) {
    const double value = laplace3d::initial_value(p.x, p.y, p.z);
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
    EXPECT_NE(value, laplace3d::initial_value(p.x, p.y, p.z + 1)) << to_string(p);
  });
}

}  // namespace

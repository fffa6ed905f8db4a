// SPDX-License-Identifier: BSD-3-Clause
// The solver's requirements on its domain.
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "jacobi_case.hpp"
#include "support/error_of.hpp"

namespace {

using namespace jacobi3d_test;

TEST(JacobiSolver, TakesWhatItsKernelsCan) {
  using halocline::Boundary;
  const auto error_of = [](const halocline::Boundaries& boundaries) {
    Shape shape{{8, 8, 8}};
    shape.boundaries = boundaries;
    std::string text;
    on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
      text = halocline::test::error_of<halocline::InvalidArgument>(
          [&] { const jacobi3d::Solver<float> solver(domain, field); });
    });
    return text;
  };
  EXPECT_EQ(error_of({Boundary::periodic, Boundary::open, Boundary::periodic}),
            "jacobi3d: the boundary in y is open; allowed is periodic");
  EXPECT_EQ(error_of({Boundary::periodic, Boundary::periodic, Boundary::periodic_in_kernel}),
            "jacobi3d: the boundary in z is periodic_in_kernel; allowed is periodic");
  EXPECT_EQ(error_of({Boundary::open, Boundary::periodic, Boundary::periodic}),
            "jacobi3d: the boundary in x is open; allowed is periodic or periodic_in_kernel");
}

TEST(JacobiSolver, GivesTheSameBitsWithAnyTiles) {
  const Shape shape{{21, 22, 23}, 2, 2};
  const auto expected = jacobi3d::solve_serially<float>(shape.extent, shape.steps);
  for (const Vec3& tile : {Vec3{4, 3, 2}, Vec3{1, 5, 4}, Vec3{1, 64, 1}}) {
    on_domains<float>(shape, [&](Domain& domain, halocline::Field<float> field) {
      jacobi3d::Solver<float> solver(domain, field);
      domain.use_tiles(tile);
      for (const auto& s : domain.subdomains()) EXPECT_EQ(s.interior().empty(), tile.y == 64);
      solver.initialise();
      jacobi3d::Settings settings;
      settings.steps = shape.steps;
      settings.halos = jacobi3d::Halos::overlapped;
      solver.run(settings);
      const auto all = solver.gather(halocline::Box::of_extent(shape.extent));
      if (domain.plan().comm.rank().value() != 0) return;
      EXPECT_TRUE(same_bits(all, expected));
    });
  }
}

}  // namespace

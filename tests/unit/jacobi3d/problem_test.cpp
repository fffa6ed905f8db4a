// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "halocline/box.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace {

using halocline::Box;
using halocline::Vec3;
using jacobi3d::Problem;

const std::vector<Vec3> extents{{128, 128, 128}, {31, 17, 23}, {40, 40, 1}, {10, 10, 10}, {3, 2, 5}, {1, 1, 1}};

TEST(Spheres, RowsHoldTheCellsThatContainsSays) {
  for (const Vec3& extent : extents) {
    for (const auto& sphere : Problem{extent}.spheres()) {
      std::int64_t cells = 0;
      halocline::for_each_cell(Box::of_extent(extent), [&](const Vec3& p) {
        const auto [first, last] = sphere.row(p.y, p.z);
        ASSERT_EQ(sphere.contains(p), p.x >= first && p.x < last) << to_string(extent) << " " << to_string(p);
        cells += sphere.contains(p) ? 1 : 0;
      });
      EXPECT_GE(cells, 1) << to_string(extent);
    }
  }
}

TEST(Spheres, AreApartAndInsideWhereThereIsRoom) {
  const Vec3 extent{60, 90, 120};
  const auto [cold, hot] = Problem{extent}.spheres();
  EXPECT_EQ(hot.value, 1.0);
  EXPECT_EQ(cold.value, 0.0);
  EXPECT_EQ(hot.centre, (Vec3{20, 45, 60}));
  EXPECT_EQ(cold.centre, (Vec3{40, 45, 60}));
  EXPECT_EQ(hot.radius, 6);
  EXPECT_EQ(cold.radius, 6);
}

/// A cell beyond the domain's edge is fixed if the cell of which it is the periodic image is.
TEST(Spheres, ImagesHoldWhatLiesBeyondTheEdge) {
  for (const Vec3& extent : {Vec3{30, 21, 40}, {10, 3, 5}, {4, 4, 4}, {2, 3, 2}, {2, 2, 2}}) {
    const Problem problem{extent};
    const Vec3 most{std::min<std::int64_t>(extent.x, 4), std::min<std::int64_t>(extent.y, 4),
                    std::min<std::int64_t>(extent.z, 4)};
    const Box around = Box::of_extent(extent).grown(most, most);
    const auto images = problem.images({&around, 1});
    EXPECT_LE(images.size(), jacobi3d::most_images);
    const auto held = [](const auto& spheres, const Vec3& p) {
      double value = jacobi3d::initial;
      for (const auto& sphere : spheres) {
        if (sphere.contains(p)) value = sphere.value;
      }
      return value;
    };
    halocline::for_each_cell(around, [&](const Vec3& p) {
      const Vec3 inside{(p.x + extent.x) % extent.x, (p.y + extent.y) % extent.y, (p.z + extent.z) % extent.z};
      ASSERT_EQ(held(images, p), held(problem.spheres(), inside)) << to_string(extent) << " " << to_string(p);
    });
    const Box inside = Box::of_extent(extent);
    EXPECT_EQ(problem.images({&inside, 1}).size(), 2u);
  }
}

TEST(Serial, AfterOneStepACellBesideTheHotSphereIsTheAverageOfSeven) {
  const Vec3 extent{30, 30, 30};
  const auto values = jacobi3d::solve_serially<double>(extent, 1);
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return values[static_cast<std::size_t>((z * extent.y + y) * extent.x + x)];
  };
  // The hot sphere: centre (10, 15, 15), radius 3. Its pole in x is a single cell.
  EXPECT_EQ(at(13, 15, 15), 1.0);
  EXPECT_NEAR(at(14, 15, 15), (1.0 + 6 * 0.5) / 7, 1e-15);
  EXPECT_NEAR(at(16, 15, 15), (0.0 + 6 * 0.5) / 7, 1e-15);
  EXPECT_EQ(at(17, 15, 15), 0.0);
  EXPECT_NEAR(at(0, 0, 0), 0.5, 1e-15);
}

TEST(Serial, HeatGoesAroundThePeriodicDomain) {
  const Vec3 extent{12, 12, 12};
  const auto values = jacobi3d::solve_serially<double>(extent, 40);
  // Mirror images: hot at x = 4, cold at x = 8; the planes x = 0 and x = 6 are equidistant from both.
  EXPECT_NEAR(values[(6 * 12 + 6) * 12 + 0], 0.5, 1e-12);
  EXPECT_NEAR(values[(6 * 12 + 6) * 12 + 6], 0.5, 1e-12);
  EXPECT_GT(values[(6 * 12 + 6) * 12 + 1], 0.5);
  EXPECT_LT(values[(6 * 12 + 6) * 12 + 11], 0.5);
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/direction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

TEST(Direction, there_are_six_faces_twelve_edges_and_eight_corners) {
  int count[4] = {};
  std::set<Direction> distinct;
  for (std::size_t i = 0; i < all_directions.size(); ++i) {
    const Direction d = all_directions[i];
    ++count[d.order()];
    distinct.insert(d);
    EXPECT_EQ(d.index(), static_cast<int>(i));
    EXPECT_EQ(d.opposite().opposite(), d);
    EXPECT_EQ(d.vec() + d.opposite().vec(), Vec3{});
    EXPECT_EQ(Direction::of(d[0], d[1], d[2]), d);
  }
  EXPECT_EQ(count[1], 6);
  EXPECT_EQ(count[2], 12);
  EXPECT_EQ(count[3], 8);
  EXPECT_EQ(distinct.size(), 26u);
}

TEST(Direction, zero_and_larger_steps_are_refused) {
  EXPECT_THROW(static_cast<void>(Direction::of(0, 0, 0)), InvalidArgument);
  for (const Vec3& step :
       {Vec3{2, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 2}, Vec3{-2, 0, 0}, Vec3{0, -2, 0}, Vec3{0, 0, -2}}) {
    EXPECT_EQ(test::error_of<InvalidArgument>([&] {
                return Direction::of(static_cast<int>(step.x), static_cast<int>(step.y), static_cast<int>(step.z));
              }),
              fmt::format("direction is ({}, {}, {}); allowed are components -1, 0 and 1, not all 0", step.x, step.y,
                          step.z));
  }
}

}  // namespace
}  // namespace halocline

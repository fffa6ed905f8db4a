// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/stencil.hpp"

#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace halocline {
namespace {

int directions_read(const Stencil& radius) {
  int n = 0;
  for (const Direction d : all_directions) n += radius.reads(d) ? 1 : 0;
  return n;
}

TEST(Stencil, uniform_reads_all_26_directions) {
  const Stencil r = Stencil::box(3);
  EXPECT_EQ(directions_read(r), 26);
  EXPECT_EQ(r.width(Direction::of(1, 0, -1)), (Vec3{3, 0, 3}));
  EXPECT_EQ(to_string(r), "3");
}

TEST(Stencil, nothing_is_read_where_a_face_is_zero) {
  EXPECT_TRUE(Stencil::box(0).none());
  EXPECT_TRUE(Stencil().none());
  const Stencil flat = Stencil::box(2, 1, 0);
  EXPECT_EQ(directions_read(flat), 8);
  EXPECT_FALSE(flat.reads(Direction::of(0, 0, 1)));
  EXPECT_FALSE(flat.reads(Direction::of(1, 0, 1)));
}

TEST(Stencil, sides_may_differ) {
  const Stencil r = Stencil::per_side({1, 0, 2}, {3, 1, 0});
  EXPECT_EQ(r.face(0, Side::lower), 1);
  EXPECT_EQ(r.face(0, Side::upper), 3);
  EXPECT_FALSE(r.reads(Direction::of(0, -1, 0)));
  EXPECT_TRUE(r.reads(Direction::of(1, 1, -1)));
  EXPECT_EQ(r.width(Direction::of(1, 1, -1)), (Vec3{3, 1, 2}));
  EXPECT_FALSE(r.reads(Direction::of(1, 1, 1)));
}

TEST(Stencil, edges_and_corners_can_be_switched) {
  EXPECT_EQ(directions_read(Stencil::star(1)), 6);
  EXPECT_EQ(directions_read(Stencil::box(1).without_corners()), 18);
  EXPECT_EQ(directions_read(Stencil::box(1).without_edges()), 14);
  const Stencil one = Stencil::star(1).with(Direction::of(1, 1, 0), true);
  EXPECT_EQ(directions_read(one), 7);
  EXPECT_EQ(to_string(one), "1, 1 of 12 edges, no corners");
}

TEST(Stencil, a_dimension_can_be_left_out) {
  const Stencil r = Stencil::per_side({1, 2, 3}, {3, 2, 1}).with(Direction::of(0, 1, 1), false).without_dimension(0);
  EXPECT_EQ(r.lower(), (Vec3{0, 2, 3}));
  EXPECT_EQ(r.upper(), (Vec3{0, 2, 1}));
  EXPECT_EQ(directions_read(r), 8 - 1);
  EXPECT_FALSE(r.reads(Direction::of(1, 0, 0)));
  EXPECT_FALSE(r.reads(Direction::of(-1, 1, 0)));
  EXPECT_FALSE(r.reads(Direction::of(0, 1, 1)));
}

TEST(Stencil, bad_input_is_refused_with_what_is_allowed) {
  EXPECT_THROW(static_cast<void>(Stencil::box(-1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(Stencil::box(1).with(Direction::of(1, 0, 0), false)), InvalidArgument);
  // An edge next to a face of radius 0 would read cells that do not exist.
  EXPECT_THROW(static_cast<void>(Stencil::box(1, 0, 1).with(Direction::of(1, 1, 0), true)), InvalidArgument);
}

}  // namespace
}  // namespace halocline

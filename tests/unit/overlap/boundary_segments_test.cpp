// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/boundary_segments.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "overlap/regions.hpp"
#include "overlap/steps.hpp"
#include "random_stencil.hpp"

namespace halocline::overlap {
namespace {

/// The same stencil with some edges and corners off.
Stencil random_shape(test::Seeded& seeded) {
  Stencil radius = random_stencil(seeded);
  for (const Direction d : all_directions) {
    if (d.order() > 1 && radius.reads(d) && seeded.chance(40)) radius = radius.with(d, false);
  }
  return radius;
}

/// The direction from a box to a cell; none for a cell inside.
std::optional<Direction> side_of(const Box& box, const Vec3& p) {
  int d[3];
  for (int dim = 0; dim < 3; ++dim) d[dim] = p[dim] < box.lo[dim] ? -1 : (p[dim] >= box.hi[dim] ? 1 : 0);
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) return std::nullopt;
  return Direction::of(d[0], d[1], d[2]);
}

/// sides_read() recomputed cell by cell and offset by offset.
Directions sides_by_cells(const Box& box, const Box& owned, const Stencil& radius) {
  Directions sides;
  const Box offsets{Vec3{} - radius.lower(), radius.upper() + Vec3::filled(1)};
  const Box none{{0, 0, 0}, {1, 1, 1}};
  for_each_cell(box, [&](const Vec3& p) {
    for_each_cell(offsets, [&](const Vec3& offset) {
      const auto towards = side_of(none, offset);
      if (towards && !radius.reads(*towards)) return;
      if (const auto side = side_of(owned, p + offset)) sides.set(static_cast<std::size_t>(side->index()));
    });
  });
  return sides;
}

TEST(BoundarySegments, are_disjoint_and_exactly_what_surrounds_the_interior_and_need_what_their_cells_read) {
  std::int64_t whole = 0;
  std::int64_t many = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Seeded seeded(seed);
    const Stencil radius = random_shape(seeded);
    const int steps_per_exchange = seeded.chance(30) ? 2 : 1;
    const Vec3 lo{seeded.between(-5, 5), seeded.between(-5, 5), seeded.between(-5, 5)};
    const Box owned{lo, lo + Vec3{seeded.between(1, 10), seeded.between(1, 10), seeded.between(1, 10)}};
    const Box around = update_box(owned, radius, steps_per_exchange, 0, owned, {});
    const Box inner = interior(owned, radius, Update::double_buffered);
    const auto segments = boundary_segments(around, inner, owned, radius);
    whole += segments.size() == 1 ? 1 : 0;
    many += segments.size() >= 12 ? 1 : 0;
    for_each_cell(around, [&](const Vec3& p) {
      int found = inner.contains(p) ? 1 : 0;
      for (const BoundarySegment& segment : segments) found += segment.box.contains(p) ? 1 : 0;
      ASSERT_EQ(found, 1) << "seed " << seed << " cell " << to_string(p);
    });
    std::int64_t cells = inner.volume();
    for (const BoundarySegment& segment : segments) {
      cells += segment.box.volume();
      EXPECT_EQ(segment.needs, sides_by_cells(segment.box, owned, radius)) << "seed " << seed;
    }
    EXPECT_EQ(cells, around.volume()) << "seed " << seed;
  }
  EXPECT_GT(whole, 10);
  EXPECT_GT(many, 10);
}

TEST(BoundarySegments, of_a_face_need_that_side_alone_and_those_of_an_edge_its_two_faces_too) {
  const Box owned = Box::of_extent({16, 16, 16});
  const Stencil radius = Stencil::box(3).without_corners();
  const auto segments = boundary_segments(owned, interior(owned, radius, Update::double_buffered), owned, radius);
  ASSERT_EQ(segments.size(), 26u);
  const auto index = [](int x, int y, int z) { return static_cast<std::size_t>(Direction::of(x, y, z).index()); };
  EXPECT_EQ(segments[index(-1, 0, 0)].needs, Directions().set(index(-1, 0, 0)));
  EXPECT_EQ(segments[index(0, 1, -1)].needs,
            Directions().set(index(0, 1, 0)).set(index(0, 0, -1)).set(index(0, 1, -1)));
  EXPECT_EQ(segments[index(1, 1, 1)].needs.count(), 6u) << "three faces, three edges, no corner";
  EXPECT_EQ(segments[index(1, 1, 1)].box, (Box{{13, 13, 13}, {16, 16, 16}}));
}

TEST(BoundarySegments, of_a_star_need_no_edges) {
  const Box owned = Box::of_extent({8, 8, 8});
  const Stencil radius = Stencil::star(1);
  for (const auto& segment :
       boundary_segments(owned, interior(owned, radius, Update::double_buffered), owned, radius)) {
    for (const Direction d : all_directions) {
      if (d.order() == 1) continue;
      EXPECT_FALSE(segment.needs.test(static_cast<std::size_t>(d.index()))) << to_string(d);
    }
  }
}

TEST(BoundarySegments, of_a_box_without_an_interior_are_the_box) {
  const Box owned = Box::of_extent({4, 9, 9});
  const auto segments = boundary_segments(owned, {owned.lo, owned.lo}, owned, Stencil::star(2));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].box, owned);
  EXPECT_EQ(segments[0].needs.count(), 6u);
}

}  // namespace
}  // namespace halocline::overlap

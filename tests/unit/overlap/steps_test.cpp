// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/halo_width.hpp"
#include "support/seeded.hpp"

namespace halocline::overlap {
namespace {

constexpr std::array<bool, 3> closed{};

TEST(Steps, halos_are_multiples_of_the_radius) {
  const Stencil star = Stencil::star(2);
  EXPECT_EQ(halo_width(star, Stencil::box(2), 1), HaloWidth(star));
  EXPECT_EQ(halo_width(star, Stencil::box(2), 3), HaloWidth(Stencil::box(6)));
  const Stencil sided = Stencil::per_side({1, 0, 2}, {0, 3, 1});
  EXPECT_EQ(halo_width(sided, sided, 4), HaloWidth(Stencil::per_side({4, 0, 8}, {0, 12, 4})));
}

TEST(Steps, halos_of_fields_that_read_less_hold_what_a_wider_field_makes_the_step_compute) {
  EXPECT_EQ(halo_width(Stencil::star(1), Stencil::box(3), 2), HaloWidth(Stencil::box(4)));
  EXPECT_EQ(halo_width(Stencil(), Stencil::box(3), 3), HaloWidth(Stencil::box(6)));
  EXPECT_EQ(halo_width(Stencil(), Stencil::box(3), 1), HaloWidth(Stencil()));
}

TEST(Steps, boxes_shrink_to_the_owned_one) {
  const Box owned{{8, 0, 4}, {16, 8, 8}};
  const Stencil radius = Stencil::per_side({1, 2, 0}, {3, 0, 1});
  const Box domain = Box::of_extent({32, 8, 8});
  EXPECT_EQ(update_box(owned, radius, 3, 0, domain, closed), (Box{{6, -4, 4}, {22, 8, 10}}));
  EXPECT_EQ(update_box(owned, radius, 3, 1, domain, closed), (Box{{7, -2, 4}, {19, 8, 9}}));
  EXPECT_EQ(update_box(owned, radius, 3, 2, domain, closed), owned);
  EXPECT_EQ(update_box(owned, radius, 1, 0, domain, closed), owned);
}

TEST(Steps, nothing_is_updated_beyond_an_open_end) {
  const Box domain = Box::of_extent({8, 8, 8});
  EXPECT_EQ(update_box({{0, 0, 0}, {4, 8, 8}}, Stencil::box(1), 3, 0, domain, {true, true, false}),
            (Box{{0, 0, -2}, {6, 8, 10}}));
}

TEST(Steps, an_interior_in_place_keeps_clear_of_all_that_is_sent) {
  const Box owned = Box::of_extent({20, 20, 20});
  const Stencil radius = Stencil::per_side({1, 1, 1}, {2, 2, 2});
  const HaloWidth halo = halo_width(radius, radius, 3);
  EXPECT_EQ(interior(owned, radius, halo, Update::double_buffered), (Box{{1, 1, 1}, {18, 18, 18}}));
  EXPECT_EQ(interior(owned, radius, halo, Update::in_place), (Box{{6, 6, 6}, {17, 17, 17}}));
}

TEST(Steps, an_exterior_fills_the_box_around_an_interior) {
  const Box box{{-2, -2, -2}, {8, 7, 6}};
  const Box inner{{1, 1, 1}, {5, 4, 3}};
  const auto parts = boundary(box, inner);
  EXPECT_LE(parts.size(), 6u);
  for_each_cell(box.grown({1, 1, 1}, {1, 1, 1}), [&](const Vec3& p) {
    int found = inner.contains(p) ? 1 : 0;
    for (const Box& part : parts) found += part.contains(p) ? 1 : 0;
    EXPECT_EQ(found, box.contains(p) ? 1 : 0) << to_string(p);
  });
  EXPECT_EQ(boundary(box, Box{}), std::vector<Box>{box});
}

/// A subdomain at any edges of a domain; parts are at least as thick as halos.
struct Case {
  Box domain = Box::of_extent({16, 16, 16});
  Box owned = domain;
  std::array<bool, 3> open{};
  Stencil field;
  Stencil widest;
  int steps_per_exchange = 1;

  explicit Case(std::uint64_t seed) {
    test::Seeded seeded(seed);
    Vec3 reads[2];
    Vec3 more[2];
    for (int dim = 0; dim < 3; ++dim) {
      for (int side = 0; side < 2; ++side) {
        reads[side][dim] = seeded.between(0, 2);
        more[side][dim] = reads[side][dim] + seeded.between(0, 1);
      }
      open[static_cast<std::size_t>(dim)] = seeded.chance(60);
      if (seeded.chance(50)) owned.hi[dim] = 8;
      if (owned.hi[dim] == 16 && seeded.chance(50)) owned.lo[dim] = 8;
    }
    field = Stencil::per_side(reads[0], reads[1]);
    widest = Stencil::per_side(more[0], more[1]);
    steps_per_exchange = static_cast<int>(seeded.between(1, 3));
  }
  [[nodiscard]] bool beyond(const Vec3& p) const {
    for (int dim = 0; dim < 3; ++dim) {
      if (open[static_cast<std::size_t>(dim)] && (p[dim] < domain.lo[dim] || p[dim] >= domain.hi[dim])) return true;
    }
    return false;
  }
};

/// Tracks valid cells: after an exchange the halo inside the domain is valid; a step may read valid cells only,
/// including the boundary's boxes, and invalidates what it does not write.
TEST(Steps, each_step_reads_only_what_is_known) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Case c(seed);
    const HaloWidth halo = halo_width(c.field, c.widest, c.steps_per_exchange);
    const Box all = c.owned.grown(halo.lower(), halo.upper());
    std::set<Vec3> known;
    for_each_cell(all, [&](const Vec3& p) {
      if (!c.beyond(p)) known.insert(p);
    });
    for (int step = 0; step < c.steps_per_exchange; ++step) {
      for (const auto& [dim, side, box] :
           open_boundary_boxes(c.owned, c.field, c.widest, c.steps_per_exchange, step, c.domain, c.open)) {
        const int d = static_cast<int>(dim);
        EXPECT_EQ(box.extent()[d], c.field.face(d, side)) << "as thick as without a steps_per_exchange";
        for_each_cell(box, [&](const Vec3& p) {
          ASSERT_TRUE(all.contains(p)) << "seed " << seed;
          ASSERT_TRUE(c.beyond(p)) << "seed " << seed;
          Vec3 nearest = p;
          nearest[d] = side == Side::lower ? c.owned.lo[d] : c.owned.hi[d] - 1;
          ASSERT_TRUE(known.contains(nearest)) << "seed " << seed << " step " << step << " " << to_string(p);
        });
        for_each_cell(box, [&](const Vec3& p) { known.insert(p); });
      }
      const Box updated = update_box(c.owned, c.widest, c.steps_per_exchange, step, c.domain, c.open);
      ASSERT_TRUE(updated.contains(c.owned));
      for_each_cell(updated.grown(c.field.lower(), c.field.upper()), [&](const Vec3& p) {
        ASSERT_TRUE(known.contains(p)) << "seed " << seed << " step " << step << " of " << c.steps_per_exchange << ": "
                                       << to_string(p) << " is read";
      });
      known.clear();
      for_each_cell(updated, [&](const Vec3& p) {
        ASSERT_FALSE(c.beyond(p)) << "seed " << seed;
        known.insert(p);
      });
    }
  }
}

}  // namespace
}  // namespace halocline::overlap

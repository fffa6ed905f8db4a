// SPDX-License-Identifier: BSD-3-Clause
#include "overlap/regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "halocline/error.hpp"
#include "random_stencil.hpp"

namespace halocline::overlap {
namespace {

/// Whether updating p reads a halo cell of the box.
bool reads_halo(const Box& owned, const Stencil& r, const Vec3& p) {
  return !owned.contains(Box{p - r.lower(), p + r.upper() + Vec3::filled(1)});
}

/// Whether p is sent to some neighbour: it fills an upper halo of the lower one, or a lower halo of the upper one.
bool is_sent(const Box& owned, const Stencil& r, const Vec3& p) {
  for (int dim = 0; dim < 3; ++dim) {
    if (p[dim] < owned.lo[dim] + r.upper()[dim] || p[dim] >= owned.hi[dim] - r.lower()[dim]) return true;
  }
  return false;
}

TEST(Regions, interior_and_exterior_are_disjoint_and_exactly_the_owned_box) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    test::Seeded seeded(seed);
    const Stencil radius = random_stencil(seeded);
    const Vec3 lo{seeded.between(-5, 5), seeded.between(-5, 5), seeded.between(-5, 5)};
    const Box owned{lo, lo + Vec3{seeded.between(1, 9), seeded.between(1, 9), seeded.between(1, 9)}};
    for (const Update update : {Update::double_buffered, Update::in_place}) {
      const Box inner = interior(owned, radius, update);
      const auto outer = boundary(owned, radius, update);
      EXPECT_LE(outer.size(), 6u);
      for_each_cell(owned, [&](const Vec3& p) {
        int found = inner.contains(p) ? 1 : 0;
        for (const Box& box : outer) found += box.contains(p) ? 1 : 0;
        EXPECT_EQ(found, 1) << "seed " << seed << " cell " << to_string(p);
        const bool safe =
            !reads_halo(owned, radius, p) && (update == Update::double_buffered || !is_sent(owned, radius, p));
        // Every cell of the interior is safe; if there is an interior, every cell outside of it is not, so that the
        // interior is maximal.
        // rest is not.
        if (inner.contains(p) || !inner.empty()) {
          EXPECT_EQ(safe, inner.contains(p)) << "seed " << seed << " cell " << to_string(p);
        }
      });
      std::int64_t cells = inner.volume();
      for (const Box& box : outer) {
        EXPECT_TRUE(owned.contains(box));
        cells += box.volume();
      }
      EXPECT_EQ(cells, owned.volume());
    }
  }
}

TEST(Regions, boundary_boxes_fill_all_that_lies_beyond_open_ends_once_others_are_full) {
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    test::Seeded seeded(seed);
    const Stencil radius = random_stencil(seeded);
    const Box domain = Box::of_extent({8, 8, 8});
    Box owned = domain;
    std::array<bool, 3> open{};
    for (int dim = 0; dim < 3; ++dim) {
      open[static_cast<std::size_t>(dim)] = seeded.chance(60);
      if (seeded.chance(50)) owned.hi[dim] = 4;
      if (owned.hi[dim] == 8 && seeded.chance(50)) owned.lo[dim] = 4;
    }
    const Box all = owned.grown(radius.lower(), radius.upper());
    const auto beyond = [&](const Vec3& p) {
      for (int dim = 0; dim < 3; ++dim) {
        if (open[static_cast<std::size_t>(dim)] && (p[dim] < 0 || p[dim] >= 8)) return true;
      }
      return false;
    };
    std::vector<Vec3> filled;
    const auto is_filled = [&](const Vec3& p) { return std::find(filled.begin(), filled.end(), p) != filled.end(); };
    int last_dim = -1;
    for (const auto& [dim, side, box] : open_boundary_boxes(owned, radius, domain, open)) {
      EXPECT_GE(static_cast<int>(dim), last_dim) << "x, then y, then z";
      last_dim = static_cast<int>(dim);
      for_each_cell(box, [&](const Vec3& p) {
        EXPECT_TRUE(all.contains(p));
        EXPECT_TRUE(beyond(p)) << "seed " << seed << ": " << to_string(p) << " is not beyond an open end";
        // The nearest-layer copy reads a cell that is already valid: exchanged, owned, or filled before.
        Vec3 inside = p;
        const int d = static_cast<int>(dim);
        inside[d] = side == Side::lower ? owned.lo[d] : owned.hi[d] - 1;
        EXPECT_TRUE(!beyond(inside) || is_filled(inside)) << "seed " << seed << ": " << to_string(p);
      });
      for_each_cell(box, [&](const Vec3& p) {
        if (!is_filled(p)) filled.push_back(p);
      });
    }
    for_each_cell(
        all, [&](const Vec3& p) { EXPECT_EQ(beyond(p), is_filled(p)) << "seed " << seed << ": " << to_string(p); });
  }
}

TEST(Regions, whole_tiles_are_the_most_that_fit_into_an_interior) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test::Seeded seeded(seed);
    const Stencil radius = random_stencil(seeded);
    const Vec3 lo{seeded.between(-5, 5), seeded.between(-5, 5), seeded.between(-5, 5)};
    const Box owned{lo, lo + Vec3{seeded.between(1, 20), seeded.between(1, 20), seeded.between(1, 20)}};
    const Vec3 tile{seeded.between(1, 5), seeded.between(1, 5), seeded.between(1, 5)};
    const Box inner = interior(owned, radius, Update::double_buffered);
    const Box whole = whole_tiles(inner, owned, tile);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::array<std::vector<bool>, 3> fits;  // for each dimension, the layers of tiles in the interior
    for (int dim = 0; dim < 3; ++dim) {
      auto& layers = fits[static_cast<std::size_t>(dim)];
      for (std::int64_t at = 0; at < owned.extent()[dim]; ++at) {
        const std::int64_t first = owned.lo[dim] + at / tile[dim] * tile[dim];
        const std::int64_t end = std::min(first + tile[dim], owned.hi[dim]);
        layers.push_back(!inner.empty() && first >= inner.lo[dim] && end <= inner.hi[dim]);
      }
    }
    const auto fits_at = [&](const Vec3& p) {
      return fits[0][static_cast<std::size_t>(p.x - lo.x)] && fits[1][static_cast<std::size_t>(p.y - lo.y)] &&
             fits[2][static_cast<std::size_t>(p.z - lo.z)];
    };
    for_each_cell(owned, [&](const Vec3& p) { ASSERT_EQ(whole.contains(p), fits_at(p)) << to_string(p); });
    if (whole.empty()) {
      EXPECT_EQ(whole, (Box{owned.lo, owned.lo}));
    }
  }
  const Box box{{0, 0, 0}, {9, 9, 9}};
  EXPECT_EQ(whole_tiles(box, box, Vec3::filled(1)), box);
  EXPECT_THROW(static_cast<void>(whole_tiles(box, box, {1, 0, 1})), InvalidArgument);
}

}  // namespace
}  // namespace halocline::overlap

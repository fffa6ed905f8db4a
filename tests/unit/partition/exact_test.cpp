// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <optional>
#include <random>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"

namespace halocline::partition {
namespace {

struct Table {
  Vec3 extent;
  std::array<Vec3, 7> grids;  ///< for 1, 2, 4, ... 64 parts
};

// Pekkilä et al., appendix A, tables A.1 (nodes) and A.2 (devices).
const std::array<Table, 3> node_tables{
    {{{512, 512, 512}, {{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 2, 2}, {4, 4, 2}, {4, 4, 4}}}},
     {{1024, 512, 512}, {{{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {4, 2, 1}, {4, 2, 2}, {8, 2, 2}, {8, 4, 2}}}},
     {{1024, 1024, 512}, {{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {4, 2, 1}, {4, 4, 1}, {4, 4, 2}, {8, 4, 2}}}}}};
const std::array<Table, 3> device_tables{
    {{{512, 512, 512}, {{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 2, 2}, {4, 4, 2}, {4, 4, 4}}}},
     {{1024, 512, 512}, {{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 2, 2}, {8, 2, 2}, {8, 4, 2}}}},
     {{1024, 1024, 512}, {{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 2, 2}, {4, 4, 2}, {8, 4, 2}}}}}};

// Eqs. 7, 9, 10 and 12 of the paper, for extents that divide evenly. long double holds these integers exactly.
long double node_volume(const Vec3& n, const Vec3& p, std::int64_t r) {
  long double with_halo = 1;
  long double own = 1;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<long double>(n[i]) / static_cast<long double>(p[i]);
    with_halo *= part + 2 * static_cast<long double>(r);
    own *= part;
  }
  return 2 * (with_halo - own);
}

long double device_volume(const Vec3& n, const Vec3& p, std::int64_t r) {
  long double with_halo = 1;
  long double local = 1;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<long double>(n[i]) / static_cast<long double>(p[i]);
    with_halo *= part + 2 * static_cast<long double>(r);
    local *= part + (p[i] >= 2 ? static_cast<long double>(r) : 0);
  }
  return with_halo - local;
}

template <typename Volume>
Vec3 brute_force(const Vec3& n, std::int64_t parts, std::int64_t r, Volume&& volume) {
  std::optional<Vec3> best;
  for (std::int64_t x = 1; x <= parts; ++x) {
    for (std::int64_t y = 1; y <= parts; ++y) {
      if (parts % (x * y) != 0) continue;
      const Vec3 p{x, y, parts / (x * y)};
      if (n.x / p.x < r || n.y / p.y < r || n.z / p.z < r) continue;
      const long double difference = best ? volume(n, p, r) - volume(n, *best, r) : -1;
      if (difference < 0 || (difference == 0 && p > *best)) best = p;
    }
  }
  return *best;
}

TEST(Exact, ReproducesEveryRowOfBothTables) {
  for (const std::int64_t r : {1, 3, 4}) {
    for (std::size_t row = 0; row < 7; ++row) {
      const std::int64_t parts = std::int64_t{1} << row;
      for (const Table& t : node_tables) {
        const Vec3 p = exact_node_grid(t.extent, Stencil::box(r), parts);
        EXPECT_EQ(p, t.grids[row]) << to_string(t.extent) << ", " << parts << " nodes, r " << r;
        EXPECT_EQ(p, brute_force(t.extent, parts, r, node_volume));
      }
      for (const Table& t : device_tables) {
        const Vec3 p = exact_device_grid(t.extent, Stencil::box(r), parts);
        EXPECT_EQ(p, t.grids[row]) << to_string(t.extent) << ", " << parts << " devices, r " << r;
        EXPECT_EQ(p, brute_force(t.extent, parts, r, device_volume));
      }
    }
  }
}

TEST(Exact, TheTwoObjectivesDiffer) {
  EXPECT_EQ(exact_node_grid({1024, 512, 512}, Stencil::box(3), 4), (Vec3{4, 1, 1}));
  EXPECT_EQ(exact_device_grid({1024, 512, 512}, Stencil::box(3), 4), (Vec3{2, 2, 1}));
}

TEST(Exact, AttainsTheMinimumOfRandomCases) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t parts = std::array<std::int64_t, 5>{6, 12, 24, 36, 60}[random() % 5];
    const auto side = [&] { return parts * static_cast<std::int64_t>(1 + random() % 9); };
    const Vec3 n{side(), side(), side()};
    const auto r = static_cast<std::int64_t>(1 + random() % 4);
    EXPECT_EQ(exact_node_grid(n, Stencil::box(r), parts), brute_force(n, parts, r, node_volume));
    EXPECT_EQ(exact_device_grid(n, Stencil::box(r), parts), brute_force(n, parts, r, device_volume));
  }
}

// Computed by hand: 100 x 100 x 100 in two; only x is read, so a cut in x costs and a cut in y does not.
TEST(Exact, CountsOnlyWhatIsRead) {
  EXPECT_EQ(exact_node_grid({100, 100, 100}, Stencil::box(2, 0, 0), 2), (Vec3{1, 2, 1}));
  EXPECT_EQ(exact_node_grid({100, 100, 100}, Stencil::per_side({1, 4, 1}, {4, 4, 4}), 4), (Vec3{2, 1, 2}));
  EXPECT_EQ(exact_node_grid({512, 512, 512}, Stencil::star(3), 16), (Vec3{4, 2, 2}));
}

TEST(Exact, PrefersPartsThatAreThickEnough) {
  // 2 x 2 x 1 is cheapest, but leaves 2 cells in x where 3 are read; 1 x 4 x 1 and 1 x 2 x 2 leave enough.
  EXPECT_EQ(exact_node_grid({5, 16, 3}, Stencil::box(3), 4), (Vec3{1, 4, 1}));
  EXPECT_EQ(exact_node_grid({2, 2, 2}, Stencil::box(3), 8), (Vec3{2, 2, 2}));
  EXPECT_THROW((void)exact_node_grid({2, 2, 2}, Stencil::box(1), 16), InvalidArgument);
}

TEST(Exact, PassesOverNodeGridsThatLeaveTheDevicesNothing) {
  Request request{.extent = {12, 8, 8}, .halo = Stencil::box(4), .nodes = 2};
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{2, 1, 1}));
  request.devices_per_node = 3;
  // The cheapest node grid leaves 6 x 8 x 8 cells, which three devices cannot share; the next one does.
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{1, 1, 2}));
  EXPECT_EQ(make_partition(request).device_grid(), (Vec3{3, 1, 1}));
}

TEST(Exact, CutsRowsLastWhereVolumesAreEqual) {
  Request request{.extent = {750, 750, 750}, .halo = Stencil::box(3), .nodes = 1, .devices_per_node = 2};
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 1, 2}));
  request.devices_per_node = 4;
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 2, 2}));
  request.devices_per_node = 6;
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 2, 3}));
  request.nodes = 2;
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{1, 1, 2}));
  // A smaller volume still takes precedence.
  request.extent = {3000, 750, 750};
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{2, 1, 1}));
}

}  // namespace
}  // namespace halocline::partition

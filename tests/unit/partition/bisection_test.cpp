// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "partition/weak_extent.hpp"

namespace halocline::partition {
namespace {

TEST(PrimeFactors, LargestFirst) {
  EXPECT_EQ(prime_factors(1), std::vector<std::int64_t>{});
  EXPECT_EQ(prime_factors(12), (std::vector<std::int64_t>{3, 2, 2}));
  EXPECT_EQ(prime_factors(97), std::vector<std::int64_t>{97});
  EXPECT_EQ(prime_factors(1536), (std::vector<std::int64_t>{3, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_THROW((void)prime_factors(0), InvalidArgument);
}

TEST(WeakExtent, GrowsWhereItWasCutLeast) {
  const Vec3 part{5, 6, 7};
  EXPECT_EQ(weak_extent(part, 1), part);
  EXPECT_EQ(weak_extent(part, 2), (Vec3{5, 6, 14}));
  EXPECT_EQ(weak_extent(part, 4), (Vec3{5, 12, 14}));
  EXPECT_EQ(weak_extent(part, 8), (Vec3{10, 12, 14}));
  EXPECT_EQ(weak_extent(part, 6), (Vec3{5, 12, 21}));
  EXPECT_EQ(weak_extent(part, 12), (Vec3{10, 12, 21}));
  for (const int n : {1, 3, 12, 14, 64}) EXPECT_EQ(weak_extent(part, n).volume(), n * part.volume());
}

// Pearson et al., Fig. 4.
TEST(Bisection, ReproducesTheFigureWithTwelveNodesOfFour) {
  Request request{.extent = {4, 24, 2}, .halo = Stencil::box(1), .nodes = 12, .devices_per_node = 4};
  request.method = Method::bisection;
  const Partition p = make_partition(request);
  EXPECT_EQ(p.node_grid(), (Vec3{2, 6, 1}));
  EXPECT_EQ(p.device_grid(), (Vec3{2, 2, 1}));
  for (std::int64_t s = 0; s < p.size(); ++s) EXPECT_EQ(p.box_of(subdomain_id(s)).extent(), (Vec3{1, 2, 2}));
}

// Pearson et al., section IV: one node of Summit.
TEST(Bisection, CutsTheDomainOfSixDevices) {
  Request request{.extent = {1440, 1452, 700}, .halo = Stencil::box(3), .nodes = 1, .devices_per_node = 6};
  request.method = Method::bisection;
  const Partition p = make_partition(request);
  EXPECT_EQ(p.grid(), (Vec3{2, 3, 1}));
  for (std::int64_t s = 0; s < 6; ++s) EXPECT_EQ(p.box_of(subdomain_id(s)).extent(), (Vec3{720, 484, 700}));
}

TEST(Bisection, ComparesWhatIsLeftWithoutRounding) {
  // 10 / 3 is longer than 3; rounded to integers they would be equal, and x would be cut.
  EXPECT_EQ(bisection_grid({3, 10, 1}, 6), (Vec3{1, 6, 1}));
  EXPECT_EQ(bisection_grid({5, 5, 5}, 2), (Vec3{2, 1, 1}));
  EXPECT_EQ(bisection_grid({5, 5, 5}, 4), (Vec3{2, 2, 1}));
}

TEST(Bisection, GoesOnWithinTheNodesPart) {
  Request request{.extent = {64, 32, 32}, .halo = Stencil::box(1), .nodes = 2, .devices_per_node = 2};
  request.method = Method::bisection;
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{2, 1, 1}));
  EXPECT_EQ(make_partition(request).device_grid(), (Vec3{2, 1, 1}));
  request.extent = {64, 33, 32};
  EXPECT_EQ(make_partition(request).device_grid(), (Vec3{1, 2, 1}));
}

}  // namespace
}  // namespace halocline::partition

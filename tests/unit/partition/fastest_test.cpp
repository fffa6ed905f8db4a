// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "plan/plan.hpp"

namespace halocline::partition {
namespace {

Request eight(const Vec3& extent) {
  return {.extent = extent, .halo = Stencil::box(1), .devices_per_node = 8, .method = Method::fastest};
}

TEST(Fastest, IsTheCandidateOfLeastCost) {
  Request request = eight({64, 64, 64});
  request.cost = [](const Partition& p) { return 100 - p.grid().y + p.grid().x; };
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 8, 1}));
  request.cost = [](const Partition& p) { return p.grid() == Vec3{1, 2, 4} ? 1 : 2; };
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 2, 4}));
}

TEST(Fastest, IsTheGridOfExactWhereNoneCostsLess) {
  Request request = eight({64, 64, 64});
  request.cost = [](const Partition&) { return 7; };
  EXPECT_EQ(make_partition(request).grid(), (Vec3{2, 2, 2}));
  // Among grids of equal cost, the one with the fewest cuts in x, then in y.
  request.cost = [](const Partition& p) { return p.grid() == Vec3{2, 2, 2} ? 2 : 1; };
  EXPECT_EQ(make_partition(request).grid(), (Vec3{1, 1, 8}));
}

TEST(Fastest, LooksOnlyAtWhatFits) {
  Request request = eight({64, 5, 64});
  request.cost = [](const Partition& p) { return 100 - p.grid().y; };
  EXPECT_EQ(make_partition(request).grid().y, 4);
}

TEST(Fastest, SeesBothLevelsAndKeepsWeights) {
  Request request{.extent = {64, 64, 64}, .halo = Stencil::box(1), .nodes = 2, .devices_per_node = 2};
  request.method = Method::fastest;
  request.cost = [](const Partition& p) { return p.node_grid() == Vec3{1, 2, 1} && p.device_grid().x == 2 ? 0 : 1; };
  request.weights = {1, 1, 3, 3};
  const Partition chosen = make_partition(request);
  EXPECT_EQ(chosen.node_grid(), (Vec3{1, 2, 1}));
  EXPECT_EQ(chosen.device_grid(), (Vec3{2, 1, 1}));
  EXPECT_EQ(chosen.cuts(1), (std::vector<std::int64_t>{0, 16, 64}));
}

TEST(Fastest, NeedsACost) {
  try {
    static_cast<void>(make_partition(eight({64, 64, 64})));
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("method is 'fastest', but there is no cost"));
  }
}

TEST(Candidates, AreAllGridsThatFitWithThatOfExactFirst) {
  Request request = eight({64, 64, 64});
  const std::vector<Partition> all = candidate_partitions(request);
  ASSERT_EQ(all.size(), 10u);  // 8 = 2^3 over three dimensions
  EXPECT_EQ(all[0].grid(), (Vec3{2, 2, 2}));
  EXPECT_EQ(all[1].grid(), (Vec3{1, 1, 8}));
  EXPECT_EQ(all[9].grid(), (Vec3{8, 1, 1}));
  for (const Partition& p : all) EXPECT_EQ(p.size(), 8);

  request.nodes = 4;
  EXPECT_EQ(candidate_partitions(request).size(), 60u);
  request.node_grid = Vec3{1, 1, 4};
  EXPECT_EQ(candidate_partitions(request).size(), 10u);

  request = eight({4, 64, 2});
  for (const Partition& p : candidate_partitions(request)) {
    EXPECT_LE(p.grid().x, 4);
    EXPECT_LE(p.grid().z, 2);
  }
  EXPECT_THROW(static_cast<void>(candidate_partitions(eight({1, 1, 7}))), InvalidArgument);
}

TEST(Method, FastestHasAName) {
  EXPECT_EQ(to_string(Method::fastest), "fastest");
  EXPECT_EQ(method_from_string("fastest"), Method::fastest);
}

}  // namespace
}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "halocline/error.hpp"
#include "placement/lower_bound.hpp"
#include "placement/placement.hpp"
#include "support/seeded.hpp"

namespace halocline::placement {
namespace {

/// Half of them with uniformly random flows and distances, half with rings of flows on groups of devices.
Assignment problem_for(std::uint64_t seed, std::int64_t largest) {
  test::Seeded random(seed);
  const int n = static_cast<int>(random.between(2, largest));
  const std::vector<int> place = solve_random(n, seed);
  Assignment problem{n, {}, {}};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int apart = std::abs(place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)]);
      const bool ring = apart == 1 || apart == n - 1;
      const std::int64_t ordered = i == j ? 0 : (i / 3 == j / 3 ? 10 : 40);
      problem.flow.push_back(seed % 2 == 0 ? random.between(0, 1 << 20) : (ring ? 1000 : random.between(0, 50)));
      problem.distance.push_back(seed % 2 == 0 ? random.between(0, 1 << 20) : ordered);
    }
  }
  return problem;
}

// Up to 9 devices, which are solved to optimality within seconds; bench_planner goes up to 12.
TEST(Quality, CraftIsWithinAFifthOfAPercentOfTheOptimumOnAverage) {
  double gaps = 0;
  constexpr int problems = 200;
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    const Assignment problem = problem_for(seed, 9);
    const std::int64_t least = problem.cost(solve_exact(problem));
    const std::int64_t craft = problem.cost(solve_craft(problem));
    ASSERT_GE(craft, least);
    if (least > 0) gaps += static_cast<double>(craft - least) / static_cast<double>(least);
  }
  EXPECT_LT(gaps / problems, 0.002);
}

TEST(LowerBound, IsBelowTheOptimumAndNotFarBelow) {
  double shares = 0;
  int problems = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Assignment problem = problem_for(seed, 8);
    const std::int64_t least = problem.cost(solve_exact(problem));
    const std::int64_t bound = lower_bound(problem);
    ASSERT_LE(bound, least) << "seed " << seed;
    if (problem.n <= 2) {
      EXPECT_EQ(bound, least) << "with two devices there is nothing that it leaves out";
    }
    if (least == 0) continue;
    shares += static_cast<double>(bound) / static_cast<double>(least);
    ++problems;
  }
  EXPECT_GT(shares / problems, 0.75);
}

TEST(LowerBound, RefusesWhatItHasNoRoomFor) {
  const Assignment problem{13, std::vector<std::int64_t>(169), std::vector<std::int64_t>(169)};
  try {
    static_cast<void>(lower_bound(problem));
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "number of facilities for the lower bound is 13; allowed is 12 at most");
  }
  EXPECT_EQ(lower_bound({0, {}, {}}), 0);
}

}  // namespace
}  // namespace halocline::placement

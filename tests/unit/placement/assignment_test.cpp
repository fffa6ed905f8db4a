// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "halocline/error.hpp"
#include "placement/placement.hpp"
#include "support/error_of.hpp"

namespace halocline::placement {
namespace {

std::vector<int> identity(int n) {
  std::vector<int> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  return p;
}

/// The lexicographically first permutation of least cost.
std::vector<int> brute_force(const Assignment& problem) {
  std::vector<int> p = identity(problem.n);
  std::vector<int> best = p;
  while (std::next_permutation(p.begin(), p.end())) {
    if (problem.cost(p) < problem.cost(best)) best = p;
  }
  return best;
}

Assignment random_problem(int n, std::uint64_t seed, std::uint64_t most = 1 << 20, bool symmetric = false) {
  std::mt19937_64 random(seed);
  Assignment problem{n, {}, {}};
  for (int i = 0; i < n * n; ++i) {
    problem.flow.push_back(static_cast<std::int64_t>(random() % most));
    problem.distance.push_back(static_cast<std::int64_t>(random() % most));
  }
  if (!symmetric) return problem;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      for (auto* m : {&problem.flow, &problem.distance}) {
        (*m)[static_cast<std::size_t>(i * n + j)] = (*m)[static_cast<std::size_t>(j * n + i)];
      }
    }
  }
  return problem;
}

/// Like halos: few partners, large and small flows; distances of a node with two groups of devices.
Assignment structured_problem(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Assignment problem{n, std::vector<std::int64_t>(static_cast<std::size_t>(n * n)),
                     std::vector<std::int64_t>(static_cast<std::size_t>(n * n))};
  const std::vector<int> shuffled = solve_random(n, seed);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      const int a = shuffled[static_cast<std::size_t>(i)];
      const int b = shuffled[static_cast<std::size_t>(j)];
      problem.flow[at] = std::abs(a - b) == 1 ? 1000 : (std::abs(a - b) == 2 ? 10 : 0);
      problem.distance[at] = i == j ? 0 : (i / 3 == j / 3 ? 10 : 10 + static_cast<std::int64_t>(seed % 40));
    }
  }
  return problem;
}

TEST(Assignment, CostCountsAllOrderedPairsAndTheDiagonal) {
  const Assignment problem{2, {1, 2, 3, 4}, {5, 6, 7, 8}};
  EXPECT_EQ(problem.cost(std::vector<int>{0, 1}), 5 + 12 + 21 + 32);
  EXPECT_EQ(problem.cost(std::vector<int>{1, 0}), 8 + 14 + 18 + 20);
}

TEST(Exact, AgreesWithBruteForce) {
  for (int n = 0; n <= 7; ++n) {
    const std::uint64_t cases = n == 7 ? 12 : 60;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
      // Small entries make many ties: then the lexicographically smallest must be found.
      const std::uint64_t most = std::array<std::uint64_t, 3>{1 << 20, 10, 2}[seed % 3];
      const Assignment problem = random_problem(n, seed, most, seed % 2 == 0);
      EXPECT_EQ(solve_exact(problem), brute_force(problem)) << "n " << n << ", seed " << seed;
    }
  }
}

TEST(Exact, AgreesWithBruteForceOnHaloLikeProblems) {
  for (int n = 2; n <= 7; ++n) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const Assignment problem = structured_problem(n, seed);
      EXPECT_EQ(solve_exact(problem), brute_force(problem)) << "n " << n << ", seed " << seed;
    }
  }
}

// Time is not asserted. A tree of 8! leaves has 109,601 nodes; each takes well below a microsecond on average, and the
// bound must prune most of them even for random entries.
TEST(Exact, PrunesTheTreeOfEightDevices) {
  constexpr std::int64_t whole_tree = 109601;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::int64_t visited = 0;
    (void)solve_exact(random_problem(8, seed, 1 << 20, seed % 2 == 0), &visited);
    EXPECT_LT(visited, whole_tree / 4) << "seed " << seed;
    (void)solve_exact(structured_problem(8, seed), &visited);
    EXPECT_LT(visited, whole_tree / 4) << "seed " << seed;
  }
}

TEST(Exact, LeavesDevicesThatAreAllAlikeWhereTheyAre) {
  const Assignment problem{8, random_problem(8, 1).flow, std::vector<std::int64_t>(64, 1)};
  std::int64_t visited = 0;
  EXPECT_EQ(solve_exact(problem, &visited), identity(8));
  EXPECT_LT(visited, 40);
}

TEST(Exact, RefusesWhatWouldTakeForEverOrOverflow) {
  EXPECT_THROW((void)solve_exact(random_problem(13, 1)), InvalidArgument);
  EXPECT_THROW((void)solve_exact({2, {1, 2, 3}, {1, 2, 3, 4}}), InvalidArgument);
  EXPECT_THROW((void)solve_exact({2, {1, 2, 3, -4}, {1, 2, 3, 4}}), InvalidArgument);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW((void)solve_exact({2, {1, 2, 3, most}, {1, 2, 3, 4}}), InvalidArgument);
  EXPECT_THROW((void)solve_craft({1, {most}, {most}}), InvalidArgument);
  EXPECT_NO_THROW((void)solve_exact({1, {std::int64_t{1} << 60}, {2}}));
}

TEST(Craft, EqualsExactOnProblemsOfUpToFive) {
  for (int n = 1; n <= 5; ++n) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Assignment problem =
          seed % 2 == 0 ? structured_problem(n, seed) : random_problem(n, seed, 1 << 20, seed % 4 == 1);
      EXPECT_EQ(problem.cost(solve_craft(problem)), problem.cost(solve_exact(problem))) << n << ", " << seed;
    }
  }
}

TEST(Craft, EndsWhereNoSwapHelpsAndNeverAboveTheIdentity) {
  for (const int n : {9, 16, 24}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Assignment problem = random_problem(n, seed);
      std::vector<int> p = solve_craft(problem);
      const std::int64_t cost = problem.cost(p);
      EXPECT_LE(cost, problem.cost(identity(n)));
      EXPECT_EQ(std::set<int>(p.begin(), p.end()).size(), static_cast<std::size_t>(n));
      for (std::size_t r = 0; r < p.size(); ++r) {
        for (std::size_t s = r + 1; s < p.size(); ++s) {
          std::swap(p[r], p[s]);
          EXPECT_GE(problem.cost(p), cost);
          std::swap(p[r], p[s]);
        }
      }
    }
  }
}

TEST(Random, IsAPermutationThatDependsOnTheSeedOnly) {
  EXPECT_EQ(solve_random(8, 42), solve_random(8, 42));
  EXPECT_NE(solve_random(8, 42), solve_random(8, 43));
  EXPECT_EQ(solve_random(0, 1), std::vector<int>{});
  EXPECT_THROW((void)solve_random(-1, 1), InvalidArgument);
  std::set<std::vector<int>> all;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::vector<int> p = solve_random(4, seed);
    all.insert(p);
    std::sort(p.begin(), p.end());
    EXPECT_EQ(p, identity(4));
  }
  EXPECT_EQ(all.size(), 24u);
  // The same on every machine and with every standard library; computed by another program.
  EXPECT_EQ(solve_random(8, 1), (std::vector<int>{4, 3, 2, 7, 5, 6, 0, 1}));
}

TEST(Scaled, KeepsProportions) {
  EXPECT_EQ(scaled(std::vector<double>{0, 0.5, 2}, 100), (std::vector<std::int64_t>{0, 25, 100}));
  EXPECT_EQ(scaled(std::vector<double>{0, 0}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_TRUE(scaled({}).empty());
  EXPECT_THROW((void)scaled(std::vector<double>{-1}), InvalidArgument);
  EXPECT_THROW((void)scaled(std::vector<double>{std::numeric_limits<double>::infinity()}), InvalidArgument);
}

TEST(Assignment, NamesTheNumberThatDoesNotFit) {
  const auto refusal = [](const Assignment& problem) {
    return test::error_of<InvalidArgument>([&] { return solve_exact(problem); });
  };
  EXPECT_EQ(refusal({-1, {}, {}}), "number of facilities is -1; allowed is 0 or more");
  EXPECT_EQ(refusal({2, {0, 1, 1}, {0, 1, 1, 0}}), "flow has 3 entries; allowed for 2 facilities are 4");
  EXPECT_EQ(refusal({2, {0, 1, 1, 0}, {0, 1}}), "distance has 2 entries; allowed for 2 facilities are 4");
  EXPECT_EQ(refusal({2, {0, 1, -5, 0}, {0, 1, 1, 0}}), "a flow is -5; allowed is 0 or more");
}

TEST(Scaled, NamesTheValueThatDoesNotFit) {
  const auto refusal = [](double value, std::int64_t scale) {
    return test::error_of<InvalidArgument>([&] { return scaled(std::array{1.0, value}, scale); });
  };
  EXPECT_EQ(refusal(1, -1), "scale is -1; allowed is 0 or more");
  EXPECT_EQ(refusal(-0.5, 10), "value to scale is -0.5; allowed are finite numbers of 0 or more");
  EXPECT_EQ(refusal(std::numeric_limits<double>::infinity(), 10),
            "value to scale is inf; allowed are finite numbers of 0 or more");
}

}  // namespace
}  // namespace halocline::placement

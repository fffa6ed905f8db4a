// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/mappers/gain_tree.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace halocline::mapping::detail {
namespace {

/// The largest gain; the lowest number among equals; -1 if the tree is empty.
int naive_best(const std::vector<std::optional<std::int64_t>>& gains) {
  int best = -1;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (gains[i] && (best < 0 || *gains[i] > *gains[static_cast<std::size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

TEST(GainTree, FindsTheLargestGainAndOfSeveralTheLowestNumber) {
  std::mt19937 random(7);
  GainTree tree;
  for (const std::size_t count : {1U, 2U, 3U, 8U, 13U, 100U}) {
    tree.reset(count);
    std::vector<std::optional<std::int64_t>> gains(count);
    EXPECT_TRUE(tree.empty());
    for (int step = 0; step < 2000; ++step) {
      const std::size_t i = random() % count;
      if (random() % 4 == 0) {
        gains[i].reset();
        tree.remove(static_cast<int>(i));
      } else {
        gains[i] = static_cast<std::int64_t>(random() % 7) - 3;
        tree.set(static_cast<int>(i), *gains[i]);
      }
      const int best = naive_best(gains);
      ASSERT_EQ(tree.empty(), best < 0) << count << " candidates, step " << step;
      if (best >= 0) {
        ASSERT_EQ(tree.best(), best) << count << " candidates, step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace halocline::mapping::detail

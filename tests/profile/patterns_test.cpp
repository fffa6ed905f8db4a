// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "profile/collectives.hpp"

namespace halocline::profile::pattern {
namespace {

using Pair = std::pair<int, int>;

/// All messages of a collective: pattern(rank, send).
struct Counted {
  std::map<Pair, std::int64_t> bytes;
  std::int64_t messages = 0;

  template <typename Pattern>
  Counted(int size, Pattern&& pattern) {
    for (int rank = 0; rank < size; ++rank) {
      pattern(rank, [&](int to, std::int64_t b, std::int64_t m) {
        EXPECT_NE(to, rank);
        EXPECT_TRUE(to >= 0 && to < size) << to;
        bytes[{rank, to}] += b;
        messages += m;
      });
    }
  }
  [[nodiscard]] std::int64_t into(int rank) const {
    std::int64_t sum = 0;
    for (const auto& [pair, b] : bytes) sum += pair.second == rank ? b : 0;
    return sum;
  }
  [[nodiscard]] std::int64_t out_of(int rank) const {
    std::int64_t sum = 0;
    for (const auto& [pair, b] : bytes) sum += pair.first == rank ? b : 0;
    return sum;
  }
};

TEST(Collectives, trees_reach_every_rank_once_with_what_it_and_those_below_need) {
  for (int size = 1; size <= 17; ++size) {
    for (int root = 0; root < size; ++root) {
      const Counted down(size, [&](int rank, auto send) { broadcast(size, rank, root, 5, send); });
      const Counted parts(size, [&](int rank, auto send) { scatter(size, rank, root, 5, send); });
      const Counted up(size, [&](int rank, auto send) { reduce(size, rank, root, 5, send); });
      const Counted all(size, [&](int rank, auto send) { gather(size, rank, root, 5, send); });
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(down.into(rank), rank == root ? 0 : 5);
        EXPECT_EQ(up.out_of(rank), rank == root ? 0 : 5);
        EXPECT_EQ(all.into(rank) - all.out_of(rank), rank == root ? 5 * (size - 1) : -5);
      }
      for (const auto& [pair, bytes] : parts.bytes) EXPECT_EQ((all.bytes.at({pair.second, pair.first})), bytes);
      for (const auto& [pair, bytes] : down.bytes) EXPECT_EQ((up.bytes.at({pair.second, pair.first})), bytes);
      for (const auto* tree : {&down, &parts, &up, &all}) EXPECT_EQ(tree->messages, size - 1);
    }
  }
}

TEST(Collectives, a_tree_is_binomial) {
  const Counted down(8, [&](int rank, auto send) { broadcast(8, rank, 0, 1, send); });
  std::vector<Pair> pairs;
  for (const auto& [pair, bytes] : down.bytes) pairs.push_back(pair);
  EXPECT_THAT(pairs,
              testing::ElementsAre(Pair{0, 1}, Pair{0, 2}, Pair{0, 4}, Pair{2, 3}, Pair{4, 5}, Pair{4, 6}, Pair{6, 7}));
}

TEST(Collectives, an_all_reduce_goes_both_ways_and_costs_what_it_must) {
  for (int size = 1; size <= 17; ++size) {
    const Counted all(size, [&](int rank, auto send) { all_reduce(size, rank, 3, send); });
    for (const auto& [pair, bytes] : all.bytes) EXPECT_EQ((all.bytes.at({pair.second, pair.first})), bytes);
    const int power = floor_of_two(size);
    int rounds = 0;
    while ((1 << rounds) < power) ++rounds;
    EXPECT_EQ(all.messages, power * rounds + 2 * (size - power)) << size;
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(all.into(rank) > 0, size > 1);
  }
}

TEST(Collectives, the_others_send_each_block_where_it_belongs) {
  const auto block = [](int rank) { return std::int64_t{10} * (rank + 1); };
  for (int size = 1; size <= 9; ++size) {
    const std::int64_t total = 5 * size * (size + 1);
    const Counted ring(size, [&](int rank, auto send) { all_gather(size, rank, block, send); });
    const Counted direct(size, [&](int rank, auto send) { all_to_all(size, rank, block, send); });
    const Counted chain(size, [&](int rank, auto send) { scan(size, rank, 4, send); });
    const Counted waiting(size, [&](int rank, auto send) { barrier(size, rank, send); });
    EXPECT_EQ(ring.messages, size * (size - 1));
    EXPECT_EQ(direct.messages, size * (size - 1));
    EXPECT_EQ(chain.messages, size - 1);
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(ring.into(rank), size == 1 ? 0 : total - block(rank));
      EXPECT_EQ(direct.into(rank), block(rank) * (size - 1));
      EXPECT_EQ(chain.into(rank), rank == 0 ? 0 : 4);
      EXPECT_EQ(waiting.into(rank), 0);
    }
  }
  const Counted waiting(5, [&](int rank, auto send) { barrier(5, rank, send); });
  EXPECT_EQ(waiting.messages, 5 * 3);
}

}  // namespace
}  // namespace halocline::profile::pattern

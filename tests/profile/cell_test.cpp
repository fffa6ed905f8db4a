// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "profile/recorder.hpp"

namespace halocline::profile {
namespace {

TEST(Cell, loses_nothing_where_threads_count_at_once) {
  constexpr int count = 4;
  constexpr int rounds = 200'000;
  Cell cell;
  std::atomic<int> here = 0;
  std::vector<std::thread> team;
  for (int i = 0; i < count; ++i) {
    team.emplace_back([&cell, &here, i] {
      ++here;
      while (here < count) std::this_thread::yield();
      for (int round = 0; round < rounds; ++round) cell.add(i % 2 == 0 ? Place::cpu : Place::gpu, 3, 1);
    });
  }
  for (auto& thread : team) thread.join();
  for (const std::size_t place : {0u, 1u}) {
    EXPECT_EQ(cell.messages[place], count / 2 * rounds);
    EXPECT_EQ(cell.bytes[place], 3 * count / 2 * rounds);
  }
}

}  // namespace
}  // namespace halocline::profile

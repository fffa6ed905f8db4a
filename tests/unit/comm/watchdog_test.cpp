// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/watchdog.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace halocline::comm {
namespace {

using std::chrono::milliseconds;

TEST(WatchdogDeathTest, EndsAProcessWhoseCallDoesNotReturn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Watchdog watchdog("MPI_Something", milliseconds(50));
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      testing::ExitedWithCode(1), "error: MPI_Something has not returned after its timeout of 0.05 s");
}

TEST(Watchdog, LetsACallReturn) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) const Watchdog watchdog("MPI_Something", std::chrono::seconds(60));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace halocline::comm

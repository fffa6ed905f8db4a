// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detail/job_processes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace halocline::comm {
namespace {

TEST(JobProcessesDeathTest, AreReadWhileThreadsEnd) {
  // The child is executed anew, so that its /proc/PID/environ has these.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ASSERT_EQ(::setenv("PMIX_NAMESPACE", "job of threads that end", 1), 0);
  ASSERT_EQ(::setenv("PMIX_RANK", "0", 1), 0);
  EXPECT_EXIT(
      {
        std::atomic<bool> done = false;
        std::thread ending([&] {
          while (!done) std::thread([] {}).join();
        });
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
        bool missing = true;
        while (std::chrono::steady_clock::now() < end) {
          missing = missing && missing_from("a call") == "rank 0 of MPI_COMM_WORLD is missing";
        }
        done = true;
        ending.join();
        std::_Exit(missing ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  ::unsetenv("PMIX_NAMESPACE");
  ::unsetenv("PMIX_RANK");
}

}  // namespace
}  // namespace halocline::comm

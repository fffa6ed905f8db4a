// SPDX-License-Identifier: BSD-3-Clause
#include "core/timeout.hpp"

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;

TEST(Timeout, IsAboveZeroAndUpToABillionSeconds) {
  for (const Duration taken : {Duration(1ns), Duration(1001ms), Duration(1'000'000'000s)}) {
    EXPECT_EQ(checked_timeout(taken), taken);
  }
  for (const Duration refused : {Duration(0), Duration(-1ns), Duration(1'000'000'000s + 1ns), Duration::max()}) {
    EXPECT_THROW((void)checked_timeout(refused), InvalidArgument) << refused.count();
  }
}

TEST(Deadline, DoesNotPassWhereItsMomentIsBeyondTheClock) {
  EXPECT_FALSE(Deadline(Clock::steady(), Duration::max()).expired());
  EXPECT_TRUE(Deadline(Clock::steady(), Duration(0)).expired());
}

}  // namespace
}  // namespace halocline

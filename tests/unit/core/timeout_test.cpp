// SPDX-License-Identifier: BSD-3-Clause
#include "core/timeout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/clock.hpp"
#include "halocline/error.hpp"

namespace halocline {
namespace {

using std::chrono::seconds;

TEST(Timeout, IsAboveZeroAndUpToABillionSeconds) {
  EXPECT_EQ(checked_timeout(std::chrono::duration<double>(0.5)), std::chrono::milliseconds(500));
  EXPECT_EQ(checked_timeout(seconds(1'000'000'000)), seconds(1'000'000'000));
  for (const double refused : {0.0, -1.0, 1.1e9, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW((void)checked_timeout(std::chrono::duration<double>(refused)), InvalidArgument) << refused;
  }
}

TEST(Deadline, DoesNotPassWhereItsMomentIsBeyondTheClock) {
  EXPECT_FALSE(Deadline(Clock::steady(), Duration::max()).expired());
  EXPECT_TRUE(Deadline(Clock::steady(), Duration(0)).expired());
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
// Which times of other libraries are not reported.
#include "baselines/ceiling.hpp"

#include <gtest/gtest.h>

namespace halocline::bench {
namespace {

/// CUDA-aware MPI once moved 25 MB in 15 ms where it could move them in 96 us; what was wrong was its use.
TEST(Ceiling, LargeTransfersBelowHalfOfItAreNotReported) {
  EXPECT_FALSE(reaches_half_of_ceiling({.way = 15e-3, .plain = 96e-6}, 25'000'000));
  EXPECT_FALSE(reaches_half_of_ceiling({.way = 201e-6, .plain = 100e-6}, large_messages));
  EXPECT_TRUE(reaches_half_of_ceiling({.way = 199e-6, .plain = 100e-6}, large_messages));
  EXPECT_TRUE(reaches_half_of_ceiling({.way = 90e-6, .plain = 100e-6}, 25'000'000));
}

TEST(Ceiling, SmallTransfersAreBoundByLatency) {
  EXPECT_TRUE(reaches_half_of_ceiling({.way = 30e-6, .plain = 5e-6}, large_messages - 1));
}

}  // namespace
}  // namespace halocline::bench

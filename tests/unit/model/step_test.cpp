// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "model/step.hpp"

namespace halocline::model {
namespace {

TEST(StepTimes, AreLimitedByTheLongerPart) {
  // 10 s of work, a quarter of it outer.
  const StepTimes compute_bound = step_times({10, 0.25, 4, 1});
  EXPECT_DOUBLE_EQ(compute_bound.ideal, 11);
  EXPECT_DOUBLE_EQ(compute_bound.overlapped, 11);
  EXPECT_DOUBLE_EQ(compute_bound.in_turn, 15);
  // The exchange is longer than the inner cells' 7.5 s: outer cells wait for it.
  const StepTimes partly_hidden = step_times({10, 0.25, 9, 0});
  EXPECT_DOUBLE_EQ(partly_hidden.ideal, 10);
  EXPECT_DOUBLE_EQ(partly_hidden.overlapped, 11.5);
  EXPECT_DOUBLE_EQ(partly_hidden.in_turn, 19);
}

TEST(StepTimes, RefusePartsThatAreNoTimes) {
  EXPECT_THROW((void)step_times({-1, 0, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)step_times({1, 1.5, 0, 0}), InvalidArgument);
}

TEST(SecondsPerUpdate, AreTheRoofline) {
  // 16 bytes at 208 GB/s are 76.9 ps; 8 operations at 1.17 T/s are 6.8 ps.
  EXPECT_DOUBLE_EQ(seconds_per_update({16, 8}, {208e9, 1.17e12}), 16 / 208e9);
  EXPECT_DOUBLE_EQ(seconds_per_update({16, 800}, {208e9, 1.17e12}), 800 / 1.17e12);
  EXPECT_DOUBLE_EQ(seconds_per_update({16, 800}, {208e9, 0}), 16 / 208e9);
  EXPECT_THROW((void)seconds_per_update({0, 8}, {208e9, 0}), InvalidArgument);
  EXPECT_THROW((void)seconds_per_update({16, 0}, {-1, 0}), InvalidArgument);
}

TEST(OuterShare, CountsTheCellsNearSides) {
  EXPECT_DOUBLE_EQ(outer_share({8, 8, 8}, {1, 1, 1}, {1, 1, 1}), 1 - 216.0 / 512);
  EXPECT_DOUBLE_EQ(outer_share({8, 8, 8}, {0, 0, 2}, {0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(outer_share({8, 8, 8}, {4, 0, 0}, {4, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(outer_share({8, 8, 8}, {}, {}), 0);
}

}  // namespace
}  // namespace halocline::model

// SPDX-License-Identifier: BSD-3-Clause
#include "core/median.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 9}), 3);
}

}  // namespace
}  // namespace halocline

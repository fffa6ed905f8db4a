// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/function_lengths.hpp"

#include <gtest/gtest.h>

namespace halocline::device::host {
namespace {

using std::chrono::microseconds;

/// Noted one after the other. A window has just begun.
class SomeFunctions : public testing::Test {
 protected:
  SomeFunctions() { run(microseconds(1)); }
  void run(Duration took, int times = 1) {
    for (int i = 0; i < times; ++i) lengths_.note(now_ += took, took);
  }
  FunctionLengths lengths_{microseconds(100)};
  Duration now_ = std::chrono::hours(1);
};

TEST(NoFunctions, AreLong) { EXPECT_TRUE(FunctionLengths(microseconds(100)).many_long()); }

TEST_F(SomeFunctions, AreLongWhereATenthOfTheTimeIs) {
  run(microseconds(100), 50);
  EXPECT_FALSE(lengths_.many_long());
  run(microseconds(500));
  run(microseconds(100), 44);
  EXPECT_FALSE(lengths_.many_long()) << "before the window is over";
  run(microseconds(100));
  EXPECT_TRUE(lengths_.many_long());
  run(microseconds(400));
  run(microseconds(100), 46);
  EXPECT_FALSE(lengths_.many_long()) << "one was delayed";
}

TEST_F(SomeFunctions, AreLongIfEachIsLongerThanAWindow) {
  run(microseconds(1), 10);
  run(2 * FunctionLengths::window);
  EXPECT_TRUE(lengths_.many_long());
  run(2 * FunctionLengths::window);
  EXPECT_TRUE(lengths_.many_long());
}

}  // namespace
}  // namespace halocline::device::host

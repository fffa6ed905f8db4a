// SPDX-License-Identifier: BSD-3-Clause
#include "core/wait_hook.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "halocline/environment.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;

class WaitHookTest : public testing::Test {
 protected:
  void TearDown() override { set_wait_hook({}); }
};

TEST_F(WaitHookTest, IsCalledNowAndThen) {
  int calls = 0;
  set_wait_hook([&] { ++calls; });
  WaitHook wait;
  for (int i = 0; i < 1000; ++i) wait.poll();
  EXPECT_LE(calls, 1) << "a wait that has just begun";
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(25ms);
    wait.poll();
  }
  EXPECT_GE(calls, 5);
}

TEST_F(WaitHookTest, WhatItThrowsLeavesPoll) {
  set_wait_hook([] { throw std::runtime_error("planted"); });
  WaitHook wait;
  std::this_thread::sleep_for(25ms);
  EXPECT_THROW(wait.poll(), std::runtime_error);
}

TEST_F(WaitHookTest, NoneIsCalledOnceItIsTakenBack) {
  int calls = 0;
  set_wait_hook([&] { ++calls; });
  set_wait_hook({});
  WaitHook wait;
  std::this_thread::sleep_for(25ms);
  wait.poll();
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace halocline

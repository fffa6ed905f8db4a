// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "halocline/error.hpp"
#include "laplace3d/thread_team.hpp"

namespace {

using laplace3d::Milestone;
using laplace3d::ThreadTeam;
using testing::HasSubstr;

TEST(LaplaceThreadTeam, every_member_works_once_a_run) {
  ThreadTeam team(5, std::chrono::seconds(10));
  for (int run = 0; run < 20; ++run) {
    std::mutex mutex;
    std::multiset<int> seen;
    team.run([&](int member) {
      const std::lock_guard lock(mutex);
      seen.insert(member);
    });
    EXPECT_EQ(seen, (std::multiset<int>{0, 1, 2, 3, 4}));
  }
}

TEST(LaplaceThreadTeam, members_see_what_was_done_before_a_milestone) {
  ThreadTeam team(2, std::chrono::seconds(10));
  Milestone there;
  Milestone back;
  std::int64_t value = 0;
  team.run([&](int member) {
    for (std::int64_t i = 1; i <= 2000; ++i) {
      if (member == 0) {
        value = i;
        there.reach(i);
        back.await(i, team, "the other one");
      } else {
        there.await(i, team, "the other one");
        EXPECT_EQ(value, i);
        back.reach(i);
      }
    }
  });
}

TEST(LaplaceThreadTeam, an_error_stops_those_who_wait_and_is_what_run_throws) {
  ThreadTeam team(3, std::chrono::seconds(100));
  Milestone never;
  for (int run = 0; run < 2; ++run) {
    try {
      team.run([&](int member) {
        if (member == 1) throw halocline::DeviceError("the device is gone");
        never.await(1, team, "what never comes");
      });
      FAIL() << "nothing was thrown";
    } catch (const halocline::DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the device is gone"));
    }
  }
}

TEST(LaplaceThreadTeam, a_wait_that_is_too_long_says_what_for) {
  ThreadTeam team(1, std::chrono::milliseconds(20));
  Milestone never;
  try {
    team.run([&](int) { never.await(1, team, "a neighbour's side"); });
    FAIL() << "nothing was thrown";
  } catch (const halocline::DeadlineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a neighbour's side is late by more than 0.02 s"));
  }
}

}  // namespace

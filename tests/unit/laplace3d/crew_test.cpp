// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "halocline/error.hpp"
#include "laplace3d/crew.hpp"

namespace {

using laplace3d::Crew;
using laplace3d::Milestone;
using testing::HasSubstr;

TEST(LaplaceCrew, every_member_works_once_a_run) {
  Crew crew(5, std::chrono::seconds(10));
  for (int run = 0; run < 20; ++run) {
    std::mutex mutex;
    std::multiset<int> seen;
    crew.run([&](int member) {
      const std::lock_guard lock(mutex);
      seen.insert(member);
    });
    EXPECT_EQ(seen, (std::multiset<int>{0, 1, 2, 3, 4}));
  }
}

TEST(LaplaceCrew, members_see_what_was_done_before_a_milestone) {
  Crew crew(2, std::chrono::seconds(10));
  Milestone there;
  Milestone back;
  std::int64_t value = 0;
  crew.run([&](int member) {
    for (std::int64_t i = 1; i <= 2000; ++i) {
      if (member == 0) {
        value = i;
        there.reach(i);
        back.await(i, crew, "the other one");
      } else {
        there.await(i, crew, "the other one");
        EXPECT_EQ(value, i);
        back.reach(i);
      }
    }
  });
}

TEST(LaplaceCrew, an_error_stops_those_who_wait_and_is_what_run_throws) {
  Crew crew(3, std::chrono::seconds(100));
  Milestone never;
  for (int run = 0; run < 2; ++run) {
    try {
      crew.run([&](int member) {
        if (member == 1) throw halocline::DeviceError("the device is gone");
        never.await(1, crew, "what never comes");
      });
      FAIL() << "nothing was thrown";
    } catch (const halocline::DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the device is gone"));
    }
  }
}

TEST(LaplaceCrew, a_wait_that_is_too_long_says_what_for) {
  Crew crew(1, std::chrono::milliseconds(20));
  Milestone never;
  try {
    crew.run([&](int) { never.await(1, crew, "a neighbour's side"); });
    FAIL() << "nothing was thrown";
  } catch (const halocline::DeadlineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a neighbour's side is late by more than 0.02 s"));
  }
}

}  // namespace

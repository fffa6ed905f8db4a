// SPDX-License-Identifier: BSD-3-Clause
// One value for each key while it is in use.
#include "core/shared_values.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace halocline {
namespace {

TEST(SharedValues, AValueIsMadeOnceWhileItIsInUse) {
  SharedValues<int, int> values;
  int made = 0;
  const auto make = [&] { return std::make_shared<int>(++made); };
  auto first = values.get(7, make);
  const auto again = values.get(7, make);
  const auto other = values.get(8, make);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first.use_count(), 2);
  EXPECT_TRUE(values.contains(7));
  EXPECT_FALSE(values.contains(9));
  EXPECT_EQ(*other, 2);
  first.reset();
  EXPECT_EQ(values.get(7, make), again) << "one user is left";
  EXPECT_EQ(made, 2);
}

TEST(SharedValues, TheLastUserDestroysAValueAndTheNextOneMakesAnother) {
  SharedValues<int, int> values;
  const std::weak_ptr<int> before = values.get(7, [] { return std::make_shared<int>(1); });
  EXPECT_TRUE(before.expired());
  EXPECT_FALSE(values.contains(7));
  EXPECT_EQ(*values.get(7, [] { return std::make_shared<int>(2); }), 2);
}

TEST(SharedValues, AfterAFailedMakeTheNextUserMakesTheValue) {
  SharedValues<int, int> values;
  const auto fail = []() -> std::shared_ptr<int> { throw std::runtime_error("full"); };
  EXPECT_THROW((void)values.get(7, fail), std::runtime_error);
  EXPECT_EQ(*values.get(7, [] { return std::make_shared<int>(3); }), 3);
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "core/shared_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halocline {
namespace {

using testing::HasSubstr;

TEST(SharedLibrary, HasFunctionsOfItsOwnAndOfLibrariesThatItDependsOn) {
  SharedLibrary file("Mathematics", "libm.so.6");
  double (*magnitude)(double) = nullptr;
  int (*of_libc)() = nullptr;
  file.need(magnitude, "fabs");
  file.find(of_libc, "getpid");
  EXPECT_TRUE(file.usable().yes) << file.usable().why_not;
  ASSERT_NE(magnitude, nullptr);
  EXPECT_EQ(magnitude(-3), 3);
  EXPECT_NE(of_libc, nullptr);
}

TEST(SharedLibrary, NamesTheFirstFunctionThatIsNeededAndAbsent) {
  SharedLibrary file("Mathematics", "libm.so.6");
  double (*function)(double) = nullptr;
  file.find(function, "not_needed");
  EXPECT_TRUE(file.usable().yes);
  file.need(function, "no_such_function");
  EXPECT_EQ(function, nullptr);
  file.need(function, "nor_this_one");
  file.need(function, "fabs");
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(file.usable(), Verdict::of(false, "Mathematics is too old: it has no no_such_function"));
}

TEST(SharedLibrary, GivesTheLoadersReasonWhereThereIsNone) {
  SharedLibrary file("Mathematics", "no-such-library.so.1");
  // The process itself has it.
  int (*of_libc)() = [] { return 0; };
  file.need(of_libc, "getpid");
  EXPECT_EQ(of_libc, nullptr);
  EXPECT_FALSE(file.usable().yes);
  EXPECT_THAT(file.usable().why_not, HasSubstr("Mathematics was not found: no-such-library.so.1"));
}

}  // namespace
}  // namespace halocline

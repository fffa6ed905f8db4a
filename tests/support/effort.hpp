// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <vector>

// How many of many similar cases a build runs. Sanitizer builds run fewer; tests/CMakeLists.txt defines how many.
#ifndef HALOCLINE_TEST_ONE_IN
#define HALOCLINE_TEST_ONE_IN 1
#define HALOCLINE_TEST_MOST_RANKS 1024
#define HALOCLINE_TEST_TOO_LARGE false
#endif

namespace halocline::test {

/// How many times longer than an optimised build on a machine of its own a build may take for a plan.
#ifdef NDEBUG
inline constexpr double planning_patience = 3;
#else
inline constexpr double planning_patience = 20;
#endif

/// Of cases that differ in values only, a build runs one in `one_in`.
inline constexpr int one_in = HALOCLINE_TEST_ONE_IN;

/// How many of `cases` random cases are run; at least one.
template <std::integral T>
constexpr T some_of(T cases) {
  return std::max<T>(cases / one_in, 1);
}

/// The numbers of ranks of a suite that this build runs. A sanitizer sees nothing in three ranks that it does not see in four.
inline std::vector<int> rank_counts(std::vector<int> all) {
  std::erase_if(all, [](int ranks) { return ranks > HALOCLINE_TEST_MOST_RANKS; });
  if (one_in > 1 && std::ranges::count(all, 4) > 0) std::erase(all, 3);
  return all;
}

}  // namespace halocline::test

/// Within a test about large machines, of which others run the same code on small ones: skips it if the build is too slow.
#define HALOCLINE_IS_LARGE()                                                 \
  if (HALOCLINE_TEST_TOO_LARGE) GTEST_SKIP() << "too large for a sanitizer"; \
  static_assert(true)

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <vector>

// How much of many like cases a build runs. Sanitizer builds run less; tests/CMakeLists.txt says what, and why.
#ifndef HALOCLINE_TEST_ONE_IN
#define HALOCLINE_TEST_ONE_IN 1
#define HALOCLINE_TEST_MOST_RANKS 1024
#define HALOCLINE_TEST_TOO_LARGE false
#endif

namespace halocline::test {

/// Of many cases that differ in values, a build runs one in so many.
inline constexpr int one_in = HALOCLINE_TEST_ONE_IN;

/// So many of `cases` random cases are run; at least one.
template <std::integral T>
constexpr T some_of(T cases) {
  return std::max<T>(cases / one_in, 1);
}

/// Those of a suite's numbers of ranks that this build runs.
inline std::vector<int> rank_counts(std::vector<int> all) {
  std::erase_if(all, [](int ranks) { return ranks > HALOCLINE_TEST_MOST_RANKS; });
  return all;
}

}  // namespace halocline::test

/// In the body of a test about plans for thousands of devices: ends it as skipped where the build is too slow for it.
#define HALOCLINE_IS_LARGE()                                                 \
  if (HALOCLINE_TEST_TOO_LARGE) GTEST_SKIP() << "too large for a sanitizer"; \
  static_assert(true)

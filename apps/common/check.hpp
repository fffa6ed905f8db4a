// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/rank_group.hpp"

namespace apps {

/// A comparison of two solutions, cell by cell.
struct Check {
  std::int64_t cells = 0;      ///< compared
  std::int64_t different = 0;  ///< whose bits differ
  double largest_difference = 0;
  [[nodiscard]] bool passed() const { return cells > 0 && different == 0; }
};

/// Of arrays of one size, on this rank.
template <typename T>
[[nodiscard]] Check compare(const std::vector<T>& expected, const std::vector<T>& found);

/// Collective: rank 0 calls expected(), and compares with what it has found; elsewhere `found` does not count. The same
/// answer on all ranks; others wait for rank 0 however long it takes.
template <typename T>
[[nodiscard]] Check check_on_root(halocline::comm::RankGroup& comm, const std::function<std::vector<T>()>& expected,
                                  const std::vector<T>& found);

}  // namespace apps

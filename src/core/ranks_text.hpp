// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace halocline {

/// "rank 3"; "ranks 0, 2"; "ranks 0, 1, 2 and 5 more", where there are more than `most`. ranks: a container of integers.
template <typename Ranks>
[[nodiscard]] std::string ranks_text(const Ranks& ranks, std::size_t most = 8) {
  const std::size_t named = std::min(std::size(ranks), most);
  const auto end = std::next(std::begin(ranks), static_cast<std::ptrdiff_t>(named));
  std::string text = std::size(ranks) == 1 ? "rank " : "ranks ";
  text += fmt::format("{}", fmt::join(std::begin(ranks), end, ", "));
  if (std::size(ranks) > named) text += fmt::format(" and {} more", std::size(ranks) - named);
  return text;
}

}  // namespace halocline

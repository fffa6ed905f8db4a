// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/// Text for people fits a terminal of this width.
inline constexpr std::size_t terminal_columns = 100;

/// Columns that a text takes: its characters in UTF-8.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Lines that are too long, broken at spaces. What is left of a line begins below its last column, which is what follows
/// the last two spaces in its first half; without one, two columns to the right of the line's beginning. A word alone may
/// be too long.
[[nodiscard]] std::string folded(std::string_view text, std::size_t columns = terminal_columns);

/// A single line, the rest of which begins in a column given by the caller.
[[nodiscard]] std::string folded_line(std::string_view line, std::size_t indent,
                                      std::size_t columns = terminal_columns);

}  // namespace cli

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halocline {

/// The text as one line that is safe to print on a terminal. Line breaks and tabs become spaces; control characters,
/// characters that reorder or hide text, and bytes that are not UTF-8 become escapes (`\x1b`, `\u202e`). If the result
/// has more than `most` bytes, its middle is replaced by a note of how much was left out, so that both ends of a
/// message stay.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 1200);

}  // namespace halocline

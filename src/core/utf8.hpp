// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halocline {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8 begins here
};

/// True for the bytes of a character behind its first one.
[[nodiscard]] inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

/// What a text begins with; it is not empty. Overlong forms and surrogates are no UTF-8.
[[nodiscard]] Utf8Character first_character(std::string_view text);

/// The position of the first byte that is not UTF-8, or npos.
[[nodiscard]] std::size_t find_no_utf8(std::string_view text);

}  // namespace halocline

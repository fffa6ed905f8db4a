// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/detail/pretty.hpp"

namespace halocline::fuzz {

/// Above it a target does not build the document, because the library that builds it would need too much stack.
inline constexpr int most_nesting = 200;

inline int nesting_of(std::string_view text) {
  int depth = 0;
  int most = 0;
  for (const char c : text) {
    depth += (c == '[' || c == '{' ? 1 : 0) - (c == ']' || c == '}' ? 1 : 0);
    most = std::max(most, depth);
  }
  return most;
}

/// The JSON document of an input, to which a target adds what makes it whole; null for any other input.
inline io::Json document_of(std::string_view input) {
  const io::Json json = nesting_of(input) > most_nesting ? io::Json() : io::Json::parse(input, nullptr, false);
  return json.is_discarded() ? io::Json() : json;
}

}  // namespace halocline::fuzz

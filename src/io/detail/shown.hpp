// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <string>

#include "io/json_value.hpp"

namespace halocline::io {

/// A value for an error message: short, and without what is in it.
[[nodiscard]] inline std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.elements().size());
  std::string text = value.dump(Json::Utf8::replaced);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace halocline::io

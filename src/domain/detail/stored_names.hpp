// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "core/printable.hpp"
#include "core/utf8.hpp"
#include "halocline/error.hpp"

namespace halocline {

/// For names that are written into files, which others read as UTF-8. what: "field name". Throws InvalidArgument.
inline void check_stored_name(std::string_view what, std::string_view name) {
  const bool control = std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (!control && find_no_utf8(name) == std::string_view::npos) return;
  throw InvalidArgument(
      fmt::format("{} is '{}'; allowed in files is UTF-8 text without control characters", what, printable(name, 200)));
}

}  // namespace halocline

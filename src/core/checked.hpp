// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "halocline/error.hpp"

namespace halocline {

/// Returns value as a To. Throws InvalidArgument with what was converted, its value and the limits if it does not fit.
template <typename To, typename From>
[[nodiscard]] To checked_cast(From value, const char* what) {
  if (!std::in_range<To>(value)) {
    throw InvalidArgument(std::string(what) + " is " + std::to_string(value) + "; allowed is " +
                          std::to_string(std::numeric_limits<To>::min()) + " to " +
                          std::to_string(std::numeric_limits<To>::max()));
  }
  return static_cast<To>(value);
}

}  // namespace halocline

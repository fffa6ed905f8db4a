// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>

namespace halocline {

/// The smallest multiple of `unit` that is not below `value`, which is 0 or more.
template <std::integral T>
[[nodiscard]] constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace halocline

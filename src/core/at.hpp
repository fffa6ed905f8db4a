// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>

namespace halocline {

/// A position in a container of the standard library, from a number of 0 or more.
[[nodiscard]] constexpr std::size_t at(std::integral auto position) { return static_cast<std::size_t>(position); }

}  // namespace halocline

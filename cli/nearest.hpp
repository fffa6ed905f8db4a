// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cli {

/// How many letters have to be inserted, left out, replaced, or swapped with the next one, to make one word of the other
/// (optimal string alignment: no letter is changed twice).
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

/// The name that was probably meant: the nearest one, of several the first, if it is at most a third of the word's letters
/// away, or if the word is the beginning of that name alone. Nothing otherwise. Dashes in front do not count.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names);

}  // namespace cli

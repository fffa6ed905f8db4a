// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "halocline/box.hpp"
#include "halocline/field.hpp"
#include "halocline/stencil.hpp"

/// The words of a command line as values. Pure. Each function throws InvalidArgument
/// "<name> is '<value>'; allowed is <allowed>", name being the option as the user typed it.
namespace cli {

using Words = std::vector<std::string>;

/// A word of the command line as errors print it: on one line, at most 80 bytes, so that an error has at most 400.
[[nodiscard]] std::string shown(std::string_view word);
[[noreturn]] void refuse(const std::string& name, std::string_view value, std::string_view allowed);
/// "--csv requires --study"
[[noreturn]] void refuse_without(std::string_view name, std::string_view needed);
/// "--check cannot be used with --study"
[[noreturn]] void refuse_together(std::string_view name, std::string_view other);

/// Words split again at commas, so that "1,2,3" is the same as "1 2 3".
[[nodiscard]] Words split_at_commas(const Words& words);

[[nodiscard]] std::int64_t parse_integer(const std::string& name, const std::string& word, std::int64_t least,
                                         std::int64_t most);
[[nodiscard]] double parse_number(const std::string& name, const std::string& word, double least, double most);
[[nodiscard]] double parse_positive(const std::string& name, const std::string& word, double most);
/// Seconds above 0, as a decimal number.
[[nodiscard]] halocline::Duration parse_seconds(const std::string& name, const std::string& word);

/// Three whole numbers from 1 on, or one for all three.
[[nodiscard]] halocline::Vec3 parse_extent(const std::string& name, const Words& words);

/// 1 number: all sides; 3: x y z; 6: below and above x, y, z. Edges and corners on.
[[nodiscard]] halocline::Stencil parse_radius(const std::string& name, const Words& words);

/// "4xf32" or "f64" or "2xf64:f32,1xi8" (sent as f32): names are f0, f1, ... in order.
[[nodiscard]] std::vector<halocline::FieldDescriptor> parse_fields(const std::string& name, const std::string& word);

/// "x,z": by dimension, whether it is named.
[[nodiscard]] std::array<bool, 3> parse_dimensions(const std::string& name, const Words& words);

/// "x,z": the dimensions named become of a kind. Throws InvalidArgument for one that is of another kind already.
void parse_boundaries(const std::string& name, const Words& words, halocline::Boundary kind,
                      halocline::Boundaries& boundaries);

/// One of the given words, as its position in the list.
[[nodiscard]] std::size_t parse_choice(const std::string& name, const std::string& word,
                                       const std::vector<std::string>& allowed);

}  // namespace cli

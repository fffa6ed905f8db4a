// SPDX-License-Identifier: BSD-3-Clause
#include "parse.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/limits.hpp"
#include "core/printable.hpp"
#include "core/wire.hpp"
#include "halocline/error.hpp"

namespace cli {
namespace {

using halocline::InvalidArgument;
using halocline::printable;

constexpr std::int64_t most_cells = std::int64_t{1} << 62;
constexpr std::string_view element_names = "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 c64 c128";

/// A whole word as a number, or nothing.
template <typename T>
bool read(const std::string& word, T& value) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  return failed == std::errc{} && end == word.data() + word.size();
}

std::vector<std::int64_t> read_all(const std::string& name, const Words& words, std::int64_t least,
                                   std::string_view allowed) {
  std::vector<std::int64_t> numbers;
  for (const auto& word : split_at_commas(words)) {
    std::int64_t number = 0;
    if (!read(word, number) || number < least || number > most_cells) {
      refuse(name, fmt::format("{}", fmt::join(words, " ")), allowed);
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::string shown(std::string_view word) { return printable(word, 80); }

void refuse(const std::string& name, std::string_view value, std::string_view allowed) {
  throw InvalidArgument(fmt::format("{} is '{}'; allowed is {}", name, shown(value), allowed));
}

void refuse_without(std::string_view name, std::string_view needed) {
  throw InvalidArgument(fmt::format("{} requires {}", name, needed));
}

void refuse_together(std::string_view name, std::string_view other) {
  throw InvalidArgument(fmt::format("{} cannot be used with {}", name, other));
}

Words split_at_commas(const Words& words) {
  Words parts;
  for (const auto& word : words) {
    std::size_t begin = 0;
    while (true) {
      const std::size_t comma = word.find(',', begin);
      parts.push_back(word.substr(begin, comma - begin));
      if (comma == std::string::npos) break;
      begin = comma + 1;
    }
  }
  return parts;
}

std::int64_t parse_integer(const std::string& name, const std::string& word, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  if (!read(word, number) || number < least || number > most) {
    refuse(name, word,
           most == std::numeric_limits<std::int64_t>::max() ? fmt::format("a whole number of {} or more", least)
                                                            : fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

double parse_number(const std::string& name, const std::string& word, double least, double most) {
  double number = 0;
  if (!read(word, number) || !(number >= least) || number > most) {
    refuse(name, word, fmt::format("a number from {:.10g} to {:.10g}", least, most));
  }
  return number;
}

double parse_positive(const std::string& name, const std::string& word, double most) {
  double number = 0;
  if (!read(word, number) || !(number > 0) || number > most) {
    refuse(name, word, fmt::format("a number above 0 and up to {:.10g}", most));
  }
  return number;
}

halocline::Duration parse_seconds(const std::string& name, const std::string& word) {
  const std::chrono::duration<double> seconds(parse_positive(name, word, 1e6));
  return std::chrono::duration_cast<halocline::Duration>(seconds);
}

halocline::Vec3 parse_extent(const std::string& name, const Words& words) {
  constexpr std::string_view allowed = "three whole numbers of 1 or more, for x y z, or one for all three";
  const auto numbers = read_all(name, words, 1, allowed);
  if (numbers.size() != 1 && numbers.size() != 3) refuse(name, fmt::format("{}", fmt::join(words, " ")), allowed);
  const halocline::Vec3 extent =
      numbers.size() == 1 ? halocline::Vec3::filled(numbers[0]) : halocline::Vec3{numbers[0], numbers[1], numbers[2]};
  try {
    static_cast<void>(halocline::checked_volume(extent));
  } catch (const InvalidArgument&) {
    refuse(name, fmt::format("{}", fmt::join(words, " ")), "three whole numbers whose product is below 2^63");
  }
  return extent;
}

halocline::Stencil parse_radius(const std::string& name, const Words& words) {
  constexpr std::string_view allowed = "1, 3 (x y z) or 6 (below and above x, y, z) whole numbers of 0 or more";
  const auto r = read_all(name, words, 0, allowed);
  if (r.size() == 1) return halocline::Stencil::box(r[0]);
  if (r.size() == 3) return halocline::Stencil::box(r[0], r[1], r[2]);
  if (r.size() == 6) return halocline::Stencil::per_side({r[0], r[2], r[4]}, {r[1], r[3], r[5]});
  refuse(name, fmt::format("{}", fmt::join(words, " ")), allowed);
}

namespace {

std::string wires_of(halocline::Element element) {
  const std::string formats = halocline::wire_formats_text(element);
  return formats.empty() ? "no wire format" : formats;
}

}  // namespace

std::vector<halocline::FieldDescriptor> parse_fields(const std::string& name, const std::string& word) {
  const std::string allowed =
      fmt::format("a list such as 4xf32 or 2xf64:f32,1xi8: numbers from 1 to {} and types of {}",
                  halocline::limits::fields, element_names);
  std::vector<halocline::FieldDescriptor> fields;
  for (const auto& part : split_at_commas({word})) {
    // 'x' is in no type's name.
    const std::size_t times = part.find('x');
    const std::size_t colon = part.find(':');
    std::int64_t count = 1;
    if (times != std::string::npos && !read(part.substr(0, times), count)) refuse(name, word, allowed);
    if (count < 1 || count > halocline::limits::fields) refuse(name, word, allowed);
    halocline::FieldDescriptor field;
    try {
      const std::string_view types = std::string_view(part).substr(0, colon);
      field.element = halocline::element_from_string(types.substr(times == std::string::npos ? 0 : times + 1));
      if (colon != std::string::npos) field.wire = halocline::element_from_string(part.substr(colon + 1));
    } catch (const InvalidArgument&) {
      refuse(name, word, allowed);
    }
    try {
      halocline::check_wire(field);
    } catch (const InvalidArgument&) {
      refuse(name, word, fmt::format("after {}: {}", to_string(field.element), wires_of(field.element)));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      field.name = fmt::format("f{}", fields.size());
      fields.push_back(field);
    }
  }
  if (fields.size() > static_cast<std::size_t>(halocline::limits::fields)) refuse(name, word, allowed);
  return fields;
}

std::array<bool, 3> parse_dimensions(const std::string& name, const Words& words) {
  std::array<bool, 3> named{};
  for (const auto& word : split_at_commas(words)) named[parse_choice(name, word, {"x", "y", "z"})] = true;
  return named;
}

void parse_boundaries(const std::string& name, const Words& words, halocline::Boundary kind,
                      halocline::Boundaries& boundaries) {
  for (const auto& word : split_at_commas(words)) {
    auto& boundary = boundaries[parse_choice(name, word, {"x", "y", "z"})];
    if (boundary != halocline::Boundary::periodic && boundary != kind) {
      refuse(name, word, "a dimension that is not both open and periodic_in_kernel");
    }
    boundary = kind;
  }
}

std::size_t parse_choice(const std::string& name, const std::string& word, const std::vector<std::string>& allowed) {
  const auto found = std::find(allowed.begin(), allowed.end(), word);
  if (found == allowed.end()) refuse(name, word, fmt::format("one of {}", fmt::join(allowed, ", ")));
  return static_cast<std::size_t>(found - allowed.begin());
}

}  // namespace cli

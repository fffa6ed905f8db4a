// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/field.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {
namespace {

struct Row {
  Element element;
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<Row, 14> table{{{Element::i8, "i8", 1},
                                     {Element::u8, "u8", 1},
                                     {Element::i16, "i16", 2},
                                     {Element::u16, "u16", 2},
                                     {Element::i32, "i32", 4},
                                     {Element::u32, "u32", 4},
                                     {Element::i64, "i64", 8},
                                     {Element::u64, "u64", 8},
                                     {Element::f16, "f16", 2},
                                     {Element::bf16, "bf16", 2},
                                     {Element::f32, "f32", 4},
                                     {Element::f64, "f64", 8},
                                     {Element::c64, "c64", 8},
                                     {Element::c128, "c128", 16}}};

const Row& row_of(Element element) {
  for (const Row& row : table) {
    if (row.element == element) return row;
  }
  throw InternalError("an Element without a row in the table");
}

}  // namespace

std::int64_t bytes_of(Element element) { return row_of(element).bytes; }

std::string_view to_string(Element element) { return row_of(element).name; }

std::string_view to_string(Reduce what) {
  switch (what) {
    case Reduce::sum: return "sum";
    case Reduce::sum_of_squares: return "sum_of_squares";
    case Reduce::min: return "min";
    case Reduce::max: return "max";
    case Reduce::max_abs: return "max_abs";
  }
  return "unknown";
}

std::vector<Directions> directions_of_velocities(std::span<const Vec3> velocities) {
  std::vector<Directions> all;
  for (const Vec3& velocity : velocities) {
    Directions& directions = all.emplace_back();
    for (const Direction d : all_directions) {
      bool crossed = true;
      for (int dim = 0; dim < 3; ++dim) crossed = crossed && (d[dim] == 0 || d[dim] * velocity[dim] > 0);
      directions.set(static_cast<std::size_t>(d.index()), crossed);
    }
  }
  return all;
}

Element element_from_string(std::string_view name) {
  std::string names;
  for (const Row& row : table) {
    if (row.name == name) return row.element;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  throw InvalidArgument(fmt::format("element type is '{}'; allowed are {}", name, names));
}

}  // namespace halocline

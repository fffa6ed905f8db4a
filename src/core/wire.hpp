// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/half.hpp"
#include "halocline/field.hpp"

// FieldDescriptor::wire: real numbers in a narrower format (docs/decisions/0067). CPUs and GPUs compile the same functions.
namespace halocline {

/// Bytes of an element of a field in a message.
[[nodiscard]] inline std::int64_t bytes_on_wire(const FieldDescriptor& field) {
  return bytes_of(field.wire.value_or(field.element));
}

/// The narrower formats in which elements of this type can be sent, as a text: "f32, bf16, f16"; empty: none.
[[nodiscard]] std::string wire_formats_text(Element element);
/// Throws InvalidArgument if the field has a wire format in which its elements cannot be sent.
void check_wire(const FieldDescriptor& field);

/// The float next to a value towards 0, or, if that is even and the value is not a float, the one away from 0. Rounded to fewer
/// than 23 bits, the result equals the value rounded once.
[[nodiscard]] constexpr float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (back == value || value != value || (bits & 1U) != 0) return nearest;
  const bool away = (back > value) == (value > 0);
  return std::bit_cast<float>(away ? bits - 1 : bits + 1);
}

/// A real number in another format: rounded to nearest, ties to even, once. NaN stays NaN. Magnitudes beyond the format's
/// range become infinity.
template <typename To, typename From>
[[nodiscard]] constexpr To in_format(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (!std::is_floating_point_v<From>) {
    return static_cast<To>(value.value());
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<From, double>) {
    return To::of(rounded_to_odd(value));
  } else {
    return To::of(value);
  }
}

}  // namespace halocline

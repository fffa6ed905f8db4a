// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "halocline/error.hpp"
#include "halocline/field.hpp"

namespace halocline::test {

/// A binary format: digits with the leading one, the exponent of the smallest normal number, and the largest number.
struct BinaryFormat {
  int digits;
  int least_exponent;
  double largest;
};

inline BinaryFormat format_of(Element element) {
  switch (element) {
    case Element::f32:
    case Element::c64: return {24, -126, std::numeric_limits<float>::max()};
    case Element::bf16: return {8, -126, std::ldexp(255.0, 120)};
    case Element::f16: return {11, -14, 65504.0};
    default: throw InternalError("no format to round to");
  }
}

/// A value rounded to a format, to nearest with ties to even: by its definition, as a multiple of the format's spacing.
inline double rounded_to(double value, Element element) {
  if (value == 0 || !std::isfinite(value)) return value;
  const BinaryFormat format = format_of(element);
  const int spacing = std::max(std::ilogb(value), format.least_exponent) - format.digits + 1;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -spacing)), spacing);
  return std::abs(rounded) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

/// The value of a cell after it was sent in its field's wire format.
template <typename T>
T as_sent(const FieldDescriptor& field, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return field.wire ? static_cast<T>(rounded_to(value, *field.wire)) : value;
  } else if constexpr (!std::is_integral_v<T>) {
    return field.wire ? T{rounded_to(value.real(), *field.wire), rounded_to(value.imag(), *field.wire)} : value;
  } else {
    return value;
  }
}

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/field.hpp"

namespace halocline::device {

/// One number from all elements of several boxes of one shape, computed in double precision. The order of the operations depends
/// on the shape and the type alone, so that the same elements give the same bits in each run. Strides as in a StridedCopy.
struct StridedReduction {
  Reduce what = Reduce::sum;
  double* target = nullptr;              ///< memory of the device, and none of the boxes
  std::vector<const std::byte*> boxes;   ///< their first elements
  std::array<std::int64_t, 3> stride{};  ///< of all boxes
  Vec3 extent;                           ///< elements
  Element element = Element::f64;        ///< or f32
};

// The arithmetic, of kernels and of the host. combined() does not depend on the order of its arguments, but for the sign of a zero
// and the bits of a NaN.

[[nodiscard]] constexpr double neutral(Reduce what) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return what == Reduce::max ? -infinity : what == Reduce::min ? infinity : 0.0;
}
/// What an element contributes.
[[nodiscard]] constexpr double term_of(Reduce what, double value) {
  if (what == Reduce::sum_of_squares) return value * value;
  return what == Reduce::max_abs && value < 0 ? -value : value;
}
[[nodiscard]] constexpr double combined(Reduce what, double a, double b) {
  if (what == Reduce::sum || what == Reduce::sum_of_squares) return a + b;
  if (a != a) return a;  // NaN
  return (what == Reduce::min ? b < a : b > a) || b != b ? b : a;
}
/// Of several results, which makes one of them.
[[nodiscard]] constexpr Reduce combining(Reduce what) {
  return what == Reduce::sum_of_squares ? Reduce::sum : what == Reduce::max_abs ? Reduce::max : what;
}

/// Throws InvalidArgument unless there is a target, boxes of elements that are aligned, and a type that can be reduced.
void check(const StridedReduction& reduction);

}  // namespace halocline::device

// SPDX-License-Identifier: BSD-3-Clause
#include "device/strided_reduction.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline::device {

void check(const StridedReduction& reduction) {
  if (reduction.element != Element::f32 && reduction.element != Element::f64) {
    throw InvalidArgument(
        fmt::format("a reduction is of {}; allowed are f32 and f64", halocline::to_string(reduction.element)));
  }
  bool null = reduction.target == nullptr || reduction.boxes.empty();
  std::intptr_t bits = reduction.stride[0] | reduction.stride[1] | reduction.stride[2];
  for (const std::byte* box : reduction.boxes) {
    null = null || box == nullptr;
    bits |= reinterpret_cast<std::intptr_t>(box);
  }
  if (null) throw InvalidArgument("the target or a box of a reduction is null");
  if (const std::int64_t bytes = bytes_of(reduction.element); bits % bytes != 0) {
    throw InvalidArgument(fmt::format(
        "a reduction of {} is of addresses and strides that are no multiples of {} bytes; allowed are multiples",
        halocline::to_string(reduction.element), bytes));
  }
}

}  // namespace halocline::device

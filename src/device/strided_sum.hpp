// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/field.hpp"

namespace halocline::device {

/// Elements of several 3-D arrays, added to the elements of a target in the order of the terms, so that floating-point results
/// do not depend on timing. Each addition is rounded to the element's type; integers wrap around. Strides as in a StridedCopy.
/// Terms may overlap each other, but not the target.
struct StridedSum {
  struct Term {
    const std::byte* first = nullptr;
    std::array<std::int64_t, 3> stride{};
  };
  std::byte* target = nullptr;
  std::array<std::int64_t, 3> target_stride{};
  Vec3 extent;  ///< elements
  Element element = Element::f32;
  std::vector<Term> terms;
};

}  // namespace halocline::device

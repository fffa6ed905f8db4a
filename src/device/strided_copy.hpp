// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halocline/box.hpp"

namespace halocline::device {

/// A copy of a 3-D array of elements between two layouts: element (i, j, k) is at
/// source + i*source_stride[0] + j*source_stride[1] + k*source_stride[2], and likewise for the target.
/// Strides are in bytes and may be negative. Source and target must not overlap.
struct StridedCopy {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::array<std::int64_t, 3> source_stride{};
  std::array<std::int64_t, 3> target_stride{};
  Vec3 extent;                     ///< elements
  std::int64_t element_bytes = 1;  ///< 1, 2, 4, 8 or 16

  [[nodiscard]] constexpr std::int64_t bytes() const { return extent.volume() * element_bytes; }
};

}  // namespace halocline::device

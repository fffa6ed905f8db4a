// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/conversion.hpp"
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
  std::int64_t element_bytes = 1;  ///< 1, 2, 4, 8 or 16; with a conversion, of a cell: one or two real numbers
  Conversion conversion{};

  /// Of an element in the narrower of the two formats.
  [[nodiscard]] std::int64_t narrow_bytes() const {
    return conversion.any() ? element_bytes / bytes_of(conversion.cells) * bytes_of(conversion.narrow) : element_bytes;
  }
  [[nodiscard]] std::int64_t source_bytes() const {
    return conversion.way == Conversion::Way::unpack ? narrow_bytes() : element_bytes;
  }
  [[nodiscard]] std::int64_t target_bytes() const {
    return conversion.way == Conversion::Way::pack ? narrow_bytes() : element_bytes;
  }
  [[nodiscard]] std::int64_t bytes() const { return extent.volume() * narrow_bytes(); }
};

}  // namespace halocline::device

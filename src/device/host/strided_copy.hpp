// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/strided_copy.hpp"

namespace halocline::device::host {

/// A StridedCopy as nested loops over rows that are contiguous on both sides, with as few and as long rows as possible. Of a
/// conversion, rows consist of real numbers.
struct RowCopy {
  struct Loop {
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t target_stride = 0;
  };
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::int64_t row_bytes = 0;  ///< of the target; 0: nothing to copy
  std::int64_t row_source_bytes = 0;
  Conversion conversion{};
  std::array<Loop, 3> loops{};  ///< the first is the innermost; those that are not needed have count 1
};

/// Throws InvalidArgument where the extent is negative, the element size or the conversion unknown, or a pointer null.
[[nodiscard]] RowCopy plan_rows(const StridedCopy& copy);

void copy_rows(const RowCopy& copy);

}  // namespace halocline::device::host

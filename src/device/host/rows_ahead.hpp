// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline::device::host {

/// Short rows that are far apart (faces normal to x) cost a cache miss each; hardware does not see such strides coming.
inline constexpr std::int64_t rows_ahead = 24;

/// The row that comes this number of rows later, to be prefetched. The address may be outside the array: it is a number, and asking for
/// it has no effect.
[[nodiscard]] inline const void* ahead(const std::byte* base, std::int64_t row, std::int64_t stride) {
  const auto offset = static_cast<std::uintptr_t>((row + rows_ahead) * stride);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): pointer arithmetic must not leave the array, and nothing is read here
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + offset);
}

}  // namespace halocline::device::host

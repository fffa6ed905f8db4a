// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/strided_copy.hpp"

// StridedCopys as boxes of units. No CUDA in here.
namespace halocline::device::cuda {

/// How many units a task may have: so that numbers of units and of tiles have 32 bits.
inline constexpr std::int64_t most_units = std::int64_t{1} << 30;
/// How far its units may be from the first one, in bytes: places within a tile have 32 bits.
inline constexpr std::int64_t farthest = (std::int64_t{1} << 31) - 1;

/// A copy as a box of units of equal size: along rows that are contiguous on both sides, and along three loops, the
/// innermost first.
struct CopyTask {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::array<std::uint32_t, 4> count{1, 1, 1, 1};  ///< units in a row, turns of the loops; at most most_units in all
  std::array<std::int32_t, 4> source_stride{};     ///< from one to the next, in bytes; of a row, unit_bytes
  std::array<std::int32_t, 4> target_stride{};
  std::uint32_t unit_bytes = 1;  ///< 1, 2, 4, 8 or 16; all target addresses are multiples of it
  std::uint32_t word_bytes = 1;  ///< all source addresses are multiples of it: unit_bytes, or 4 or 8 where that is more

  [[nodiscard]] constexpr std::int64_t units() const { return std::int64_t{count[0]} * count[1] * count[2] * count[3]; }
};

/// One copy is one task, but for those with too many units. Nothing where there is nothing to copy.
/// Throws InvalidArgument as StridedCopy demands.
[[nodiscard]] std::vector<CopyTask> plan_tasks(std::span<const StridedCopy> copies);
/// The same units in fewer tasks: two of the same shape with a loop to spare become one, with a turn of a new innermost loop
/// for each of them. So the two ends of the rows of an array are copied side by side: memory works in pages.
[[nodiscard]] std::vector<CopyTask> pair_tasks(std::vector<CopyTask> tasks);

}  // namespace halocline::device::cuda

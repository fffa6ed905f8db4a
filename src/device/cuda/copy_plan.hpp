// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/strided_copy.hpp"

// StridedCopys as boxes of units. This file uses no CUDA.
namespace halocline::device::cuda {

/// The most units that a task may have, so that numbers of units and of tiles fit into 32 bits.
inline constexpr std::int64_t most_units = std::int64_t{1} << 30;
/// The largest distance of a unit of a task from its first one, in bytes: offsets within a tile have 32 bits.
inline constexpr std::int64_t farthest = (std::int64_t{1} << 31) - 1;

/// The most bytes of cells in a unit of a conversion.
inline constexpr std::uint32_t widest_conversion = 16;

/// A copy as a box of units of equal size, or, with a conversion, of an equal number of real numbers: along rows that are contiguous on both sides, and along three loops, the
/// innermost first.
struct CopyTask {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::array<std::uint32_t, 4> count{1, 1, 1,
                                     1};        ///< units in a row, iterations of each loop; at most most_units in all
  std::array<std::int32_t, 4> source_stride{};  ///< from one to the next, in bytes; of a row, the unit's
  std::array<std::int32_t, 4> target_stride{};
  std::uint32_t unit_bytes = 1;  ///< 1, 2, 4, 8 or 16; all target addresses are multiples of it
  std::uint32_t word_bytes =
      1;  ///< all source addresses are multiples of it; unit_bytes, or 4 or 8 if unit_bytes is more; the source's unit, if converted
  Conversion conversion{};

  [[nodiscard]] constexpr std::uint32_t source_unit_bytes() const { return conversion.any() ? word_bytes : unit_bytes; }
  [[nodiscard]] constexpr std::int64_t units() const { return std::int64_t{count[0]} * count[1] * count[2] * count[3]; }
};

/// Which tasks of the same shape become one, in which a new innermost loop has an iteration for each of them: none; those
/// whose rows lie between each other's, in the source and in the target; or any. The two ends of the rows of an array are
/// thus copied together: memory works in pages.
enum class Pairs { none, of_rows_in_turns, any };

/// One task for each copy, or several if it has too many units; none for an empty copy; fewer by pairs.
/// Throws InvalidArgument as StridedCopy demands, and for conversions of numbers that are not aligned.
[[nodiscard]] std::vector<CopyTask> plan_tasks(std::span<const StridedCopy> copies, Pairs pairs = Pairs::none);

}  // namespace halocline::device::cuda

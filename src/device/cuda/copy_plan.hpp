#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/device/strided_copy.hpp"

// What a kernel that copies is told, and how StridedCopys become that. No CUDA in here: the same functions run on the
// host, where tests compare them with the definition of a StridedCopy.
namespace halocline::device::cuda {

/// Divides numbers below 2^31 by a constant with a multiplication and a shift.
/// Source: Granlund and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994.
struct Divider {
  std::uint32_t divisor = 1;
  std::uint32_t factor = std::uint32_t{1} << 31;
  std::uint32_t shift = 0;

  Divider() = default;
  /// 1 to 2^31 - 1.
  explicit Divider(std::uint32_t by);
  [[nodiscard]] constexpr std::uint32_t divide(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n * 2} * factor) >> 32) >> shift;
  }
};

/// How many units a task may have: so that their numbers can be divided.
inline constexpr std::int64_t most_units = std::int64_t{1} << 30;
/// How far its units may be from the first one, in bytes: places are computed for each unit, and 32 bits take half the
/// instructions of 64, which is what copies of short rows are bound by.
inline constexpr std::int64_t farthest = (std::int64_t{1} << 31) - 1;

/// A copy as units of equal size, numbered along rows that are contiguous on both sides, then along three loops.
struct CopyTask {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::array<std::int32_t, 3> source_stride{};  ///< of the loops, in bytes; the first is the innermost
  std::array<std::int32_t, 3> target_stride{};
  std::uint32_t units = 0;       ///< in all; at most most_units
  std::uint32_t unit_bytes = 1;  ///< 1, 2, 4, 8 or 16; all target addresses are multiples of it
  std::uint32_t word_bytes = 1;  ///< all source addresses are multiples of it: unit_bytes, or 4 or 8 where that is more
  Divider row;                   ///< units in a row
  Divider inner, middle;         ///< rows in the inner loop, turns of the middle one
};

/// Where one unit is, in bytes from the task's source and target.
struct UnitPlace {
  std::int32_t source = 0;
  std::int32_t target = 0;
};

[[nodiscard]] constexpr UnitPlace place_of(const CopyTask& task, std::uint32_t unit) {
  const std::uint32_t row = task.row.divide(unit);
  const auto in_row = static_cast<std::int32_t>((unit - row * task.row.divisor) * task.unit_bytes);
  const std::uint32_t turn = task.inner.divide(row);
  const auto i = static_cast<std::int32_t>(row - turn * task.inner.divisor);
  const std::uint32_t outer = task.middle.divide(turn);
  const auto j = static_cast<std::int32_t>(turn - outer * task.middle.divisor);
  const auto k = static_cast<std::int32_t>(outer);
  const auto& [si, sj, sk] = task.source_stride;
  const auto& [ti, tj, tk] = task.target_stride;
  return {in_row + i * si + j * sj + k * sk, in_row + i * ti + j * tj + k * tk};
}

/// What a block of threads copies at a time: each thread loads all of its units before it stores one.
inline constexpr std::uint32_t block_threads = 256;
inline constexpr std::uint32_t units_per_thread = 4;
inline constexpr std::uint32_t tile_units = block_threads * units_per_thread;

/// The units of a task from `first` on, up to tile_units of them.
struct CopyTile {
  std::uint32_t task = 0;
  std::uint32_t first = 0;
};

[[nodiscard]] constexpr std::uint32_t tiles_of(const CopyTask& task) {
  return (task.units + tile_units - 1) / tile_units;
}

/// One copy is one task, but for those with too many units. Nothing where there is nothing to copy.
/// Throws InvalidArgument as StridedCopy demands.
[[nodiscard]] std::vector<CopyTask> plan_tasks(std::span<const StridedCopy> copies);
/// The same units in fewer tasks: two of the same shape with a loop to spare become one, with a turn of a new innermost loop
/// for each of them. So the two ends of the rows of an array are copied side by side: memory works in pages.
[[nodiscard]] std::vector<CopyTask> pair_tasks(std::vector<CopyTask> tasks);
/// All tiles of all tasks, in their order.
[[nodiscard]] std::vector<CopyTile> plan_tiles(std::span<const CopyTask> tasks);

}  // namespace halocline::device::cuda

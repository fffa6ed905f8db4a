// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/divider.hpp"
#include "device/cuda/tiling.hpp"
#include "device/strided_reduction.hpp"

// How blocks of threads share StridedReductions. Blocks and tiles depend on the boxes alone, and not on the GPU, so that the order of
// all operations is fixed. Contains no CUDA: tests carry plans out on the host.
namespace halocline::device::cuda {

/// A row is cut in units of so many bytes, of which the last may be shorter. One place is computed for each, and, where all units
/// are aligned, it is one load.
inline constexpr std::uint32_t reduction_unit_bytes = 16;
/// Units of a thread, all loaded before the first is used.
inline constexpr std::uint32_t most_reduction_loads = 8;
/// 4 for each multiprocessor of the largest GPUs: enough loads under way for the memory's whole bandwidth.
inline constexpr std::uint32_t most_reduction_blocks = 512;

/// A box of fewer than 2^31 elements.
struct ReductionTask {
  const std::byte* first = nullptr;
  std::array<std::int64_t, 3> stride{};
  Divider row;     ///< by the units of a row
  Divider column;  ///< by the rows of a plane
  std::uint32_t row_elements = 0;
  std::uint32_t units = 0;
  std::uint32_t tiles = 0;
  std::uint32_t first_tile = 0;  ///< number of its first tile in the output
  bool aligned = false;          ///< all units are
};

struct ReductionOutput {
  double* target = nullptr;
  Reduce what = Reduce::sum;
  Element element = Element::f64;
  std::uint32_t first_task = 0;
  std::uint32_t end_task = 0;
  std::uint32_t loads =
      1;  ///< a tile is so many units of each thread of a block: few where there are few, for more blocks
  std::uint32_t blocks = 1;         ///< that share the tiles
  std::uint32_t first_partial = 0;  ///< of their partial results
};

struct ReductionPlan {
  std::vector<ReductionTask> tasks;
  std::vector<ReductionOutput> outputs;
  std::uint32_t blocks = 0;    ///< the most of any output
  std::uint32_t partials = 0;  ///< of all outputs
};

/// A ReductionPlan in device memory, as an argument of its kernel.
struct ReductionTable {
  /// If there is one output of one task, they are arguments, so that the kernel begins with the loads of cells.
  ReductionOutput one_output;
  ReductionTask one_task;
  const ReductionTask* tasks = nullptr;
  const ReductionOutput* outputs = nullptr;
  std::uint32_t* counters = nullptr;  ///< by output: blocks that have stored their partial results; 0 between launches
  double* partials = nullptr;
  std::uint32_t output_count = 0;
  std::uint32_t blocks = 0;
  bool is_one = false;
};

/// Throws InvalidArgument: see check(StridedReduction).
[[nodiscard]] ReductionPlan plan_reductions(std::span<const StridedReduction> reductions);

/// The block's first tile of a task; the next ones are `blocks` apart.
[[nodiscard]] constexpr std::uint32_t first_tile_of(const ReductionTask& task, const ReductionOutput& output,
                                                    std::uint32_t block) {
  return (block + output.blocks - task.first_tile % output.blocks) % output.blocks;
}
struct UnitPlace {
  std::int64_t offset = 0;     ///< in bytes from the task's first element
  std::uint32_t elements = 0;  ///< 1 to `most`
};
/// most: elements of a whole unit.
[[nodiscard]] constexpr UnitPlace place_of_unit(const ReductionTask& task, std::uint32_t most, std::uint32_t unit) {
  const std::uint32_t row = task.row.divide(unit);
  const std::uint32_t z = task.column.divide(row);
  const std::uint32_t x = (unit - row * task.row.divisor) * most;
  const std::uint32_t left = task.row_elements - x;
  return {x * task.stride[0] + (row - z * task.column.divisor) * task.stride[1] + z * task.stride[2],
          left < most ? left : most};
}

}  // namespace halocline::device::cuda

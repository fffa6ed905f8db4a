// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/divider.hpp"
#include "device/cuda/tiling.hpp"
#include "device/strided_sum.hpp"

// How blocks of threads share StridedSums. Contains no CUDA: tests carry plans out on the host.
namespace halocline::device::cuda {

/// Elements of a row that a thread adds at a time, if rows are contiguous and aligned: at most 16 bytes, at most 4 elements.
[[nodiscard]] constexpr std::uint32_t wide_unit(std::uint32_t element_bytes) {
  return element_bytes >= 16 ? 1 : element_bytes >= 4 ? 16 / element_bytes : 4;
}

/// One or two StridedSums of the same shape, as units of one or of wide_unit() elements. Units are numbered along the rows,
/// then from one sum to the other, then along y and z: the two ends of an array's rows share memory pages and DRAM bursts.
struct SumTask {
  std::byte* target = nullptr;
  std::array<std::int64_t, 4> stride{};  ///< in bytes: from unit to unit, from sum to sum, along y and along z
  Divider row;                           ///< by the units of a row
  Divider sums;                          ///< by 1 or 2
  Divider y;                             ///< by the rows of a plane
  std::uint32_t units = 0;
  bool wide = false;      ///< units of wide_unit() elements, aligned to their size
  std::uint8_t head = 0;  ///< elements of a row's first unit that are not of the sum
  std::uint8_t tail = 0;  ///< the same of its last unit
};

struct SumTerm {
  const std::byte* first = nullptr;
  std::array<std::int64_t, 4> stride{};  ///< as in SumTask
  bool wide = false;                     ///< its units are aligned to their size, too
};

/// Units of a tile. A thread has fewer large ones: registers limit the number of threads of a multiprocessor.
[[nodiscard]] constexpr std::uint32_t units_of_tile(std::uint32_t unit_bytes) {
  return unit_bytes > 4 ? tile_units / 2 : tile_units;
}

/// What a block adds at a time: units_of_tile() units, or as many as are left.
struct SumTile {
  std::uint32_t task = 0;
  std::uint32_t first_unit = 0;
  std::uint32_t first_term = 0;  ///< of the task's terms, in the order of their additions
  std::uint32_t end_term = 0;
};

/// Sums of one element type.
struct SumPlan {
  Element element = Element::f32;
  std::vector<SumTask> tasks;
  std::vector<SumTerm> terms;
  std::vector<SumTile> tiles;
};

/// A plan for each element type. Throws InvalidArgument if a target or a term is null, or if a sum has 2^31 elements or more.
[[nodiscard]] std::vector<SumPlan> plan_sums(std::span<const StridedSum> sums);

/// A unit's place in a task. Beyond the last unit, it has no elements, and the place is the last unit's.
struct SumUnit {
  std::array<std::uint32_t, 4> at{};
  std::uint32_t first = 0;  ///< of its elements
  std::uint32_t end = 0;

  [[nodiscard]] constexpr std::int64_t offset(const std::array<std::int64_t, 4>& stride) const {
    return at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2] + at[3] * stride[3];
  }
};

/// `elements` is the number of elements of a unit.
[[nodiscard]] constexpr SumUnit unit_of(const SumTask& task, std::uint32_t number, std::uint32_t elements) {
  const std::uint32_t unit = number < task.units ? number : task.units - 1;
  const std::uint32_t row = task.row.divide(unit);
  const std::uint32_t both = task.sums.divide(row);
  const std::uint32_t z = task.y.divide(both);
  const std::uint32_t x = unit - row * task.row.divisor;
  const std::uint32_t end = x + 1 == task.row.divisor ? elements - task.tail : elements;
  return {{x, row - both * task.sums.divisor, both - z * task.y.divisor, z},
          x == 0 ? task.head : 0u,
          number < task.units ? end : 0u};
}

}  // namespace halocline::device::cuda

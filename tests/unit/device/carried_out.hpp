// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "device/cuda/tiling.hpp"
#include "unit/device/support.hpp"

// The tasks of the CUDA backend's copies, carried out on the host as its kernels do.
namespace halocline::device::cuda {

/// Visits each unit of the tasks in the order in which the lanes of the blocks do: visit(task, source, target).
template <typename Visit>
void for_each_unit(const std::vector<CopyTask>& tasks, Visit&& visit) {
  TileTable table;
  table.add(tasks);
  for (const CopyTile& tile : table.tiles) {
    const TileShape& shape = table.shapes.at(tile.shape);
    for (std::uint32_t thread = 0; thread < block_threads; ++thread) {
      const Lane lane = lane_of(shape, thread);
      for (std::uint32_t i = 0; i < shape.units; ++i) {
        if (lane.first + i * shape.step >= end_of_lane(tile, lane)) continue;
        visit(shape, tile.source + lane.source + std::int64_t{shape.source_stride[3]} * shape.step * i,
              tile.target + lane.target + std::int64_t{shape.target_stride[3]} * shape.step * i);
      }
    }
  }
}

/// The numbers of a unit of a conversion.
inline void convert_unit(const TileShape& shape, const std::byte* source, std::byte* target) {
  const Conversion conversion = Conversion::of_code(shape.conversion);
  test::of_types(conversion, [&]<typename Source, typename Narrow, typename Target>() {
    const std::size_t numbers = shape.unit_bytes / sizeof(Target);
    ASSERT_EQ(shape.word_bytes, numbers * sizeof(Source));
    for (std::size_t k = 0; k < numbers; ++k) {
      test::reference(conversion, source + k * sizeof(Source), target + k * sizeof(Target));
    }
  });
}

/// Copies as blocks of threads do.
inline void carry_out(const std::vector<CopyTask>& tasks) {
  for_each_unit(tasks, [&](const TileShape& shape, const std::byte* source, std::byte* target) {
    if (shape.conversion != 0) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(target) % shape.unit_bytes, 0u);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(source) % shape.word_bytes, 0u);
      convert_unit(shape, source, target);
      return;
    }
    std::memcpy(target, source, shape.unit_bytes);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(target) % shape.unit_bytes, 0u);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(source) % shape.word_bytes, 0u);
    ASSERT_TRUE(shape.word_bytes == shape.unit_bytes || (shape.word_bytes >= 4 && shape.word_bytes < shape.unit_bytes));
  });
}

/// The bytes of all units that lanes visit: equal to the bytes of the tasks if each unit is visited once.
inline std::int64_t bytes_of(const std::vector<CopyTask>& tasks) {
  std::int64_t bytes = 0;
  for_each_unit(tasks, [&](const TileShape& shape, const auto*, auto*) { bytes += shape.unit_bytes; });
  return bytes;
}

}  // namespace halocline::device::cuda

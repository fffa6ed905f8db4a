// SPDX-License-Identifier: BSD-3-Clause
// How tasks of copies are cut into tiles for the kernels of the CUDA backend.
#include "device/cuda/tiling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "device/cuda/copy_plan.hpp"
#include "unit/device/carried_out.hpp"

namespace halocline::device::cuda {
namespace {

/// A task of rows of 16-byte units with the strides of an array; the first row begins at a cache line.
CopyTask box(std::array<std::uint32_t, 4> count) {
  CopyTask task;
  task.source = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 40);
  task.target = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 41);
  task.unit_bytes = task.word_bytes = 16;
  task.count = count;
  std::int64_t stride = 16;
  for (std::size_t d = 0; d < 4; ++d) {
    task.source_stride[d] = task.target_stride[d] = static_cast<std::int32_t>(stride);
    stride = (stride * count[d] + 255) / 128 * 128;
  }
  return task;
}

TEST(Tiling, ThreadsAreOfUse) {
  std::mt19937 random(5);
  const auto up_to = [&](unsigned n) { return static_cast<std::uint32_t>(1 + random() % n); };
  double least = 1;
  double sum = 0;
  constexpr int cases = 2000;
  for (int i = 0; i < cases; ++i) {
    // Halos of a subdomain of 24 to 600 cells a side: long rows, thin in one dimension, and short rows together with
    // their other ends.
    const auto side = [&] { return 23 + up_to(577); };
    const std::uint32_t thin = up_to(4);
    const std::array<std::array<std::uint32_t, 4>, 3> shapes{
        {{side() / 4, thin, side(), 1}, {side() / 4, side(), thin, 1}, {up_to(2), 2, side(), side()}}};
    const CopyTask task = box(shapes.at(random() % 3));
    const double used = static_cast<double>(task.units()) / static_cast<double>(std::max<std::int64_t>(
                                                                tiling_of(task).count() * std::int64_t{tile_units}, 1));
    if (task.units() < 8 * tile_units) continue;  // with few tiles, the last one is mostly empty
    least = std::min(least, used);
    sum += 1 - used;
  }
  EXPECT_GT(least, 0.65);
  EXPECT_LT(sum / cases, 0.1);
}

TEST(Tiling, RowsAreCutWhereLinesOfMemoryBegin) {
  for (const std::uint32_t units : {257u, 300u, 1000u, 1025u, 5000u}) {
    const CopyTask task = box({units, 7, 3, 2});
    const Tiling tiling = tiling_of(task);
    EXPECT_EQ(tiling.tile[0] * 16 % 128, 0u) << units;
    EXPECT_EQ(bytes_of({task}), task.units() * 16);
  }
}

/// Of all sectors that steps of tiles store, the share of which they store a part.
double partly_stored(const CopyTask& task) {
  constexpr std::uintptr_t sector = 32;
  const Tiling tiling = tiling_of(task);
  std::map<std::uintptr_t, std::uintptr_t> bytes;  // by sector, in a step
  std::size_t all = 0;
  std::size_t parts = 0;
  for (std::uint32_t number = 0; number < tiling.count(); ++number) {
    const CopyTile tile = tile_at(task, tiling, number);
    for (std::uint32_t i = 0; i < units_per_thread; ++i) {
      bytes.clear();
      for (std::uint32_t thread = 0; thread < block_threads; ++thread) {
        const Lane lane = lane_of(tiling.shape, thread);
        if (lane.first + i * tiling.shape.step >= end_of_lane(tile, lane)) continue;
        const auto at = reinterpret_cast<std::uintptr_t>(tile.target + lane.target) +
                        static_cast<std::uintptr_t>(tiling.shape.target_stride[3] * tiling.shape.step) * i;
        bytes[at / sector] += task.unit_bytes;
      }
      all += bytes.size();
      parts += static_cast<std::size_t>(std::ranges::count_if(bytes, [](auto& one) { return one.second < sector; }));
    }
  }
  return static_cast<double>(parts) / static_cast<double>(all);
}

/// Rows of three numbers, one side or both, packed: the lanes of a block store whole sectors, but for planes that begin within one.
TEST(Tiling, StepsThroughPackedRowsStoreWholeSectors) {
  for (const std::uint32_t unit : {4u, 8u}) {
    for (const std::uint32_t sides : {1u, 2u}) {
      for (const std::uint32_t rows : {64u, 100u, 128u, 200u, 256u, 300u, 512u}) {
        CopyTask task = box({3, sides, rows, rows / 6});
        task.unit_bytes = task.word_bytes = unit;
        std::uint32_t stride = unit;
        for (std::size_t d = 0; d < 4; ++d) {
          task.target_stride[d] = static_cast<std::int32_t>(stride);
          stride *= task.count[d];
        }
        EXPECT_LT(partly_stored(task), 0.08) << unit << " bytes, " << sides << " x " << rows;
      }
    }
  }
}

/// Threads take eight units, instead of four, of rows of several units in many tiles; every unit is copied once.
TEST(Tiling, ManyThinRowsHaveTilesOfMoreUnits) {
  constexpr std::int64_t rows = 512;
  constexpr std::int64_t pitch = 8;
  const auto units_of = [](std::int64_t cells, std::int64_t planes) {
    const auto n = static_cast<std::size_t>(pitch * rows * planes);
    std::vector<float> array(n);
    std::ranges::generate(array, [next = 0.0F]() mutable { return next += 1; });
    std::vector<float> packed(static_cast<std::size_t>(cells * rows * planes));
    const StridedCopy pack{reinterpret_cast<const std::byte*>(array.data()),
                           reinterpret_cast<std::byte*>(packed.data()),
                           {4, 4 * pitch, 4 * pitch * rows},
                           {4, 4 * cells, 4 * cells * rows},
                           {cells, rows, planes},
                           4};
    const std::vector<CopyTask> tasks = plan_tasks({&pack, 1});
    carry_out(tasks);
    EXPECT_EQ(bytes_of(tasks), pack.bytes());
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(cells);
      if (packed[i] == array[row * pitch + i % static_cast<std::size_t>(cells)]) continue;
      ADD_FAILURE() << "cell " << i << " of " << cells << " x " << planes;
      break;
    }
    TileTable table;
    table.add(tasks);
    return table.shapes.at(0).units;
  };
  EXPECT_EQ(units_of(3, 600), most_units_per_thread);
  EXPECT_EQ(units_of(3, 100), units_per_thread) << "few tiles";
  EXPECT_EQ(units_of(1, 2000), units_per_thread) << "rows of one unit";
}

/// A lane for each unit of a row, which steps to the other row: one tile, where steps along the rows would make two.
TEST(Tiling, TwoRowsOfAsManyUnitsAsThreadsAreOneTile) {
  const Tiling tiling = tiling_of(box({block_threads, 2, 1, 1}));
  EXPECT_EQ(tiling.count(), 1u);
  EXPECT_EQ(tiling.steps_along, 1u);
}

TEST(Tiling, FieldsThatAreAlikeShareTheirShapeAndTakeTurnsInProportion) {
  const CopyTask one = box({64, 64, 3, 1});
  CopyTask other = one;
  other.target += 1 << 20;
  const CopyTask small = box({2, 1, 1, 1});
  TileTable table;
  table.add(std::vector{one, small, other});
  EXPECT_EQ(table.shapes.size(), 2u);
  ASSERT_EQ(table.tiles.size(), 25u);
  EXPECT_EQ(table.tiles[12].inner, 0u);  // the single tile of the small task, in the middle
  EXPECT_EQ(table.tiles[12].end, 2u);
  for (std::size_t turn = 0; turn < 12; ++turn) {
    const std::size_t at = turn < 6 ? 2 * turn : 2 * turn + 1;
    EXPECT_EQ(table.tiles[at + 1].target - table.tiles[at].target, 1 << 20);
  }
  table.add(std::vector{other});
  EXPECT_EQ(table.shapes.size(), 2u);
}

}  // namespace
}  // namespace halocline::device::cuda

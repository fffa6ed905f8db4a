// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/copy_plan.hpp"
#include "device/cuda/divider.hpp"

// How blocks of threads share a CopyTask: as tiles, which are boxes of units. A thread computes its place once for all tiles of
// a shape, and then moves by constant steps. When it was computed for each unit, those instructions limited copies by few
// multiprocessors (docs/decisions/0037). Contains no CUDA: the same functions run on the host, where tests compare them with
// the definition of a StridedCopy.
namespace halocline::device::cuda {

inline constexpr std::uint32_t block_threads = 256;
/// Units of a tile for each thread, which loads all of them before it stores the first.
inline constexpr std::uint32_t units_per_thread = 4;
/// The same of packed rows of several units in many tiles: units of a row lie in one sector, so that more of them keep as much of the
/// memory busy. Other rows, and few tiles, which many blocks share, take longer with them.
inline constexpr std::uint32_t most_units_per_thread = 8;
inline constexpr std::uint32_t tile_units = block_threads * units_per_thread;

/// How the threads of a block are arranged as lanes of a tile: along up to three dimensions, the innermost first, and along a
/// last one, in which each thread also steps.
struct TileShape {
  std::array<std::int32_t, 4>
      source_stride{};  ///< from lane to lane, in bytes; the last is for the dimension of the steps
  std::array<std::int32_t, 4> target_stride{};
  std::array<SmallDivider, 3> lanes;  ///< 1 if there is no such dimension
  std::uint16_t step = 1;             ///< lanes along the last dimension
  std::uint8_t unit_bytes = 1;        ///< as in CopyTask
  std::uint8_t word_bytes = 1;
  std::uint8_t conversion = 0;  ///< Conversion::code()
  std::uint8_t units = units_per_thread;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// Packs three numbers below 2^9 into one word, each with a bit above it that is 0.
[[nodiscard]] constexpr std::uint32_t side_by_side(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return a | b << 10 | c << 20;
}

/// A thread's place in the tiles of a shape.
struct Lane {
  std::uint32_t inner = 0;  ///< position along the dimensions before the last, packed by side_by_side()
  std::uint32_t first = 0;  ///< position of its first unit along the last; beyond every tile if the thread has no lane
  std::int32_t source = 0;  ///< of its first unit, in bytes from the tile's first
  std::int32_t target = 0;
};

[[nodiscard]] constexpr Lane lane_of(const TileShape& shape, std::uint32_t thread) {
  Lane lane;
  std::array<std::uint32_t, 4> at{};
  std::uint32_t rest = thread;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint32_t next = shape.lanes[d].divide(rest);
    at[d] = rest - next * shape.lanes[d].divisor;
    rest = next;
  }
  lane.inner = side_by_side(at[0], at[1], at[2]);
  lane.first = rest < shape.step ? rest : block_threads * most_units_per_thread;
  at[3] = rest < shape.step ? rest : 0;
  for (std::size_t d = 0; d < 4; ++d) {
    lane.source += static_cast<std::int32_t>(at[d]) * shape.source_stride[d];
    lane.target += static_cast<std::int32_t>(at[d]) * shape.target_stride[d];
  }
  return lane;
}

/// What a block copies at a time.
struct alignas(16) CopyTile {
  const std::byte* source = nullptr;  ///< its first unit
  std::byte* target = nullptr;
  std::uint32_t shape = 0;  ///< its number in a table
  /// The largest positions along the shape's dimensions before the last, packed by side_by_side(). In whole tiles, all lanes
  /// have a unit.
  std::uint32_t inner = 0;
  std::uint32_t end = 1;  ///< number of units along the last
};
static_assert(sizeof(CopyTile) == 32);

/// The end of a lane's units, which are first, first + step, ... below it.
[[nodiscard]] constexpr std::uint32_t end_of_lane(const CopyTile& tile, const Lane& lane) {
  // A negative difference clears the bit above it.
  constexpr std::uint32_t above = side_by_side(1, 1, 1) << 9;
  return (((tile.inner | above) - lane.inner) & above) == above ? tile.end : 0;
}

/// A task's tiles: the box is cut in each dimension.
struct Tiling {
  TileShape shape;
  std::uint32_t steps_along =
      0;  ///< dimension of the task in which threads step; the tile has one unit along later ones
  std::array<std::uint32_t, 4> tile{1, 1, 1, 1};  ///< units of a whole tile, by dimension of the task
  std::array<std::uint32_t, 4> grid{1, 1, 1, 1};  ///< tiles, by dimension of the task
  [[nodiscard]] constexpr std::uint32_t count() const { return grid[0] * grid[1] * grid[2] * grid[3]; }
};

/// The tiling with the fewest tiles and, among these, the longest pieces of rows. Rows are cut at cache lines if they begin at
/// one, and packed rows where sectors end. units: for each thread.
[[nodiscard]] Tiling tiling_of(const CopyTask& task, std::uint32_t units = units_per_thread);

/// Tile number 0, 1, ... count() - 1 of a task, without the index of its shape.
[[nodiscard]] constexpr CopyTile tile_at(const CopyTask& task, const Tiling& tiling, std::uint32_t number) {
  CopyTile tile{task.source, task.target, 0, 0, 1};
  for (std::uint32_t d = 0; d < 4; ++d) {
    const std::uint32_t first = number % tiling.grid[d] * tiling.tile[d];
    number /= tiling.grid[d];
    tile.source += std::int64_t{first} * task.source_stride[d];
    tile.target += std::int64_t{first} * task.target_stride[d];
    const std::uint32_t left = task.count[d] - first;
    const std::uint32_t extent = left < tiling.tile[d] ? left : tiling.tile[d];
    if (d < tiling.steps_along) tile.inner |= (extent - 1) << 10 * d;
    if (d == tiling.steps_along) tile.end = extent;
  }
  return tile;
}

/// Tiles of tasks, and each of their shapes once.
struct TileTable {
  std::vector<TileShape> shapes;
  std::vector<CopyTile> tiles;
  /// Interleaves the tiles of the tasks in proportion to their numbers, so that neighbouring memory, such as the two ends of rows, is
  /// copied at the same time, and tiles of thin rows, which take longer, are not the first of many blocks.
  void add(std::span<const CopyTask> tasks);
  /// Whether conversions are among them.
  [[nodiscard]] bool converts() const;
};

}  // namespace halocline::device::cuda

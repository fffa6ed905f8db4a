// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/tiling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace halocline::device::cuda {
namespace {

constexpr std::uint32_t line_bytes = 128;
constexpr std::uint32_t sector_bytes = 32;

std::uint32_t pieces(std::uint32_t count, std::uint32_t of) { return (count + of - 1) / of; }

/// Searches for the tiling with the fewest tiles: lanes for one dimension after the other, and steps along the last
/// dimension that has lanes, by `units` for each thread. Where the target is contiguous beyond a tile, the lanes of a step end at a multiple
/// of boundary_bytes.
class Search {
 public:
  Search(const CopyTask& task, std::uint32_t units, std::uint32_t boundary_bytes)
      : task_(task), units_(units), boundary_bytes_(boundary_bytes) {
    try_dimension(0, block_threads, task.unit_bytes);
  }

  [[nodiscard]] std::uint64_t tiles() const { return fewest_; }
  [[nodiscard]] std::uint32_t steps_along() const { return steps_along_; }
  [[nodiscard]] const std::array<std::uint32_t, 4>& lanes() const { return best_; }

 private:
  /// threads: the number of threads left for this dimension and the following ones. run: the contiguous bytes of the target for one lane
  /// of this dimension, 0 if the dimensions before end within them.
  void try_dimension(std::uint32_t d, std::uint32_t threads, std::uint64_t run) {
    const std::uint32_t count = task_.count[d];
    if (count > 1 && std::int64_t{task_.target_stride[d]} != static_cast<std::int64_t>(run)) run = 0;
    const auto multiple =
        run == 0 ? 1 : static_cast<std::uint32_t>(boundary_bytes_ / std::gcd(run, std::uint64_t{boundary_bytes_}));
    const std::uint32_t most = count <= threads ? count : threads / multiple * multiple;
    if ((d == 0 || count > 1) && most > 0) try_steps_along(d, most);
    if (d == 3) return;
    const auto go_on = [&](std::uint32_t lanes) {
      lanes_[d] = lanes;
      try_dimension(d + 1, threads / lanes, lanes == count ? run * count : 0);
      lanes_[d] = 1;
    };
    if (count <= threads) go_on(count);
    if (d > 0) {
      const std::uint32_t fewer = std::min(count - 1, threads) / multiple * multiple;
      for (std::uint32_t lanes = fewer; lanes > 0; lanes -= multiple) go_on(lanes);
    } else {
      const std::uint32_t line = line_bytes / task_.unit_bytes;
      for (std::uint32_t lanes = std::min(count - 1, threads) / line * line; lanes > 0; lanes -= line) go_on(lanes);
    }
  }

  void try_steps_along(std::uint32_t d, std::uint32_t lanes) {
    std::uint64_t tiles = pieces(task_.count[d], lanes * units_);
    for (std::uint32_t i = 0; i < d; ++i) tiles *= pieces(task_.count[i], lanes_[i]);
    for (std::uint32_t i = d + 1; i < 4; ++i) tiles *= task_.count[i];
    if (tiles >= fewest_) return;
    fewest_ = tiles;
    steps_along_ = d;
    best_ = lanes_;
    best_[d] = lanes;
  }

  const CopyTask& task_;
  std::uint32_t units_;
  std::uint32_t boundary_bytes_;
  std::array<std::uint32_t, 4> lanes_{1, 1, 1, 1};
  std::uint64_t fewest_ = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t steps_along_ = 0;
  std::array<std::uint32_t, 4> best_{1, 1, 1, 1};
};

/// Lanes that store whole sectors, unless that takes a third more tiles: packed rows have unaligned tiles otherwise, and stores of
/// parts of sectors to another GPU take half as long again as stores of whole ones.
Search best_lanes(const CopyTask& task, std::uint32_t units) {
  const Search any(task, units, 1);
  const Search whole(task, units, sector_bytes);
  return whole.tiles() * 3 <= any.tiles() * 4 ? whole : any;
}

/// From so many units on, tiles are many, also for a large device.
constexpr std::int64_t many_units = std::int64_t{3} << 18;

/// Of rows of several units, for which kernels can take most_units_per_thread.
bool has_narrow_units(const CopyTask& task) {
  return task.count[0] > 2 && (task.unit_bytes == 4 || task.unit_bytes == 8) && task.word_bytes == task.unit_bytes &&
         !task.conversion.any();
}

}  // namespace

Tiling tiling_of(const CopyTask& task, std::uint32_t units) {
  const Search found = best_lanes(task, units);
  Tiling tiling;
  tiling.steps_along = found.steps_along();
  tiling.shape.unit_bytes = static_cast<std::uint8_t>(task.unit_bytes);
  tiling.shape.word_bytes = static_cast<std::uint8_t>(task.word_bytes);
  tiling.shape.conversion = task.conversion.code();
  tiling.shape.units = static_cast<std::uint8_t>(units);
  for (std::uint32_t d = 0; d <= tiling.steps_along; ++d) {
    const std::uint32_t lanes = found.lanes()[d];
    const bool steps = d == tiling.steps_along;
    const std::size_t of_shape = steps ? 3 : d;
    tiling.shape.source_stride[of_shape] = task.source_stride[d];
    tiling.shape.target_stride[of_shape] = task.target_stride[d];
    if (steps) {
      tiling.shape.step = static_cast<std::uint16_t>(lanes);
    } else {
      tiling.shape.lanes[d] = SmallDivider(lanes);
    }
    tiling.tile[d] = steps ? lanes * units : lanes;
  }
  for (std::size_t d = 0; d < 4; ++d) tiling.grid[d] = pieces(task.count[d], tiling.tile[d]);
  return tiling;
}

bool TileTable::converts() const {
  return std::ranges::any_of(shapes, [](const TileShape& shape) { return shape.conversion != 0; });
}

void TileTable::add(std::span<const CopyTask> tasks) {
  struct Planned {
    Tiling tiling;
    std::uint32_t shape = 0;
  };
  std::int64_t narrow = 0;
  for (const CopyTask& task : tasks) narrow += has_narrow_units(task) ? task.units() : 0;
  const std::uint32_t for_narrow = narrow < many_units ? units_per_thread : most_units_per_thread;
  std::vector<Planned> planned;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    // Fields often have the same shape, and so do their tasks.
    const auto alike =
        std::find_if(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(i), [&](const CopyTask& t) {
          return t.count == tasks[i].count && t.unit_bytes == tasks[i].unit_bytes &&
                 t.word_bytes == tasks[i].word_bytes && t.conversion == tasks[i].conversion &&
                 t.source_stride == tasks[i].source_stride && t.target_stride == tasks[i].target_stride;
        });
    if (static_cast<std::size_t>(alike - tasks.begin()) < i) {
      planned.push_back(planned[static_cast<std::size_t>(alike - tasks.begin())]);
    } else {
      const Tiling tiling = tiling_of(tasks[i], has_narrow_units(tasks[i]) ? for_narrow : units_per_thread);
      const auto shape = std::find(shapes.begin(), shapes.end(), tiling.shape);
      planned.push_back({tiling, static_cast<std::uint32_t>(shape - shapes.begin())});
      if (shape == shapes.end()) shapes.push_back(tiling.shape);
    }
  }
  struct Place {
    double at = 0;  ///< of a task's tiles, from 0 to 1
    std::size_t task = 0;
    std::uint32_t number = 0;
  };
  std::vector<Place> order;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t count = planned[i].tiling.count();
    for (std::uint32_t k = 0; k < count; ++k) order.push_back({(k + 0.5) / count, i, k});
  }
  std::ranges::stable_sort(order, {}, &Place::at);
  for (const Place& place : order) {
    CopyTile tile = tile_at(tasks[place.task], planned[place.task].tiling, place.number);
    tile.shape = planned[place.task].shape;
    tiles.push_back(tile);
  }
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "common/boxes.cuh"
#include "common/launch.cuh"
#include "halocline/error.hpp"

// How boxes are cut for a launch of march_block().
namespace apps::cuda {

struct Grid {
  dim3 blocks;
  unsigned threads = 0;
};

inline constexpr std::int64_t most_blocks_yz = 65535;  ///< of a grid

/// Sets the arrays that a launch reads and writes. around: cells of rows that have no halo, whose boxes are whole rows; else 0.
template <typename T, int Most>
void set_arrays(Boxes<T, Most>& boxes, const halocline::View<const T>& source, const halocline::View<T>& target,
                int around) {
  boxes.source = source;
  boxes.target = target;
  boxes.source_pitch = {source.stride_bytes()[1], source.stride_bytes()[2]};
  boxes.target_pitch = {target.stride_bytes()[1], target.stride_bytes()[2]};
  boxes.around = around;
}

/// group: cells of a group, the first of which begins at the first owned cell. warps: of a block. wanted: warps that a
/// launch should have at least, as long as they march through a plane or more.
template <typename T, int Most>
Piece<T> piece_of(const Boxes<T, Most>& boxes, const halocline::Box& box, int group, const Shape& shape, int warps,
                  std::int64_t wanted) {
  constexpr std::int64_t thin_below = 16;
  Piece<T> piece;
  piece.box = box;
  const halocline::Vec3 size = box.extent();
  piece.turned = shape.turns && size.x < thin_below && size.y >= lanes / 2;
  std::int64_t rows = 0;     // of warps, side by side in y
  std::int64_t columns = 1;  // of warps, side by side in x
  if (piece.turned) {
    rows = parts_of(size.y, lanes);
  } else {
    // Boxes may begin below the first owned cell.
    const std::int64_t past = (box.lo.x - boxes.source.owned().lo.x) % group;
    piece.past = static_cast<int>(past < 0 ? past + group : past);
    columns = parts_of(parts_of(piece.past + size.x, group), lanes);
    rows = size.y;
    while (1 << piece.warps_y_log2 < warps && 1 << piece.warps_y_log2 < rows) ++piece.warps_y_log2;
  }
  piece.warps_z = warps >> piece.warps_y_log2;
  piece.planes = static_cast<int>(std::clamp<std::int64_t>(
      rows * columns * size.z / wanted, 1, piece.turned ? shape.longest_turned_march : shape.longest_march));
  piece.tiles = {static_cast<unsigned>(columns), static_cast<unsigned>(parts_of(rows, 1 << piece.warps_y_log2)),
                 static_cast<unsigned>(parts_of(size.z, std::int64_t{piece.warps_z} * piece.planes))};
  if (!piece.turned) {
    piece.whole_from = piece.past > 0 ? 1 : 0;
    piece.whole_to[0] = static_cast<int>((piece.past + size.x) / (lanes * group));
    piece.whole_to[1] = static_cast<int>(rows >> piece.warps_y_log2);
    piece.whole_to[2] = static_cast<int>(size.z / (std::int64_t{piece.warps_z} * piece.planes));
  }
  piece.ends = boxes.around == 0 ? Ends{-1, group} : Ends{boxes.around - 1, group - boxes.around};
  piece.source = &boxes.source(box.lo.x, box.lo.y, box.lo.z) - piece.past;
  piece.target = &boxes.target(box.lo.x, box.lo.y, box.lo.z) - piece.past;
  return piece;
}

/// Cuts boxes, at most Most and none of them empty, into the pieces of a launch whose arrays are set. A launch that has fewer
/// blocks than the device has multiprocessors has smaller ones. Throws InvalidArgument, in the program's name, where there
/// are too many.
template <typename T, int Most>
Grid cut(const char* program, Boxes<T, Most>& boxes, std::span<const halocline::Box> given, int group,
         const Shape& shape, int processors) {
  constexpr std::int64_t waves = 4;
  constexpr int fewest_warps = 4;  // what a multiprocessor runs at once
  const std::int64_t wanted = waves * shape.warps * shape.resident_blocks * processors;
  std::int64_t blocks = 0;
  int warps = 2 * shape.warps;
  do {
    warps /= 2;
    blocks = 0;
    boxes.count = 0;
    for (const halocline::Box& box : given) {
      Piece<T> piece = piece_of(boxes, box, group, shape, warps, wanted);
      piece.first_block = static_cast<int>(blocks);
      blocks += std::int64_t{piece.tiles.x} * piece.tiles.y * piece.tiles.z;
      boxes.pieces[boxes.count++] = piece;
    }
  } while (blocks < processors && warps > fewest_warps);
  if (blocks > std::int64_t{0x7fffffff}) {
    throw halocline::InvalidArgument(std::string(program) + ": an update has " + std::to_string(blocks) +
                                     " blocks; allowed are up to 2147483647");
  }
  return {Most == 1 ? boxes.pieces[0].tiles : dim3(static_cast<unsigned>(blocks)),
          static_cast<unsigned>(lanes * warps)};
}

/// Whether one launch with Most == 1 can take the boxes.
inline bool in_one_grid(std::span<const halocline::Box> boxes) {
  return boxes.size() == 1 && std::max(boxes[0].extent().y, boxes[0].extent().z) <= most_blocks_yz;
}

}  // namespace apps::cuda

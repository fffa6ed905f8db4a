// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "common/cells.cuh"
#include "common/march.cuh"
#include "halocline/box.hpp"
#include "halocline/view.hpp"

// Boxes that one launch updates, and how their cells are shared out to blocks and warps.
namespace apps::cuda {

/// Limits of a kernel's blocks and marches.
struct Shape {
  int warps = 16;           ///< of a block, at most
  int resident_blocks = 4;  ///< blocks that must fit on a multiprocessor, which limits the registers
  std::int64_t longest_march = 4;
  std::int64_t longest_turned_march = 16;
  bool turns = true;  ///< whether boxes that are thin in x are turned
};

/// A box of a launch and how it is cut: a block's warps lie side by side in y, 1 << warps_y_log2 of them, and warps_z behind
/// each other in z, each marching through `planes` planes.
template <typename T>
struct Piece {
  halocline::Box box;
  bool turned = false;  ///< lanes along y, not x
  int first_block = 0;  ///< its blocks are those up to the next piece's
  dim3 tiles;           ///< blocks in x, y, z
  int warps_y_log2 = 0;
  int warps_z = 1;
  int planes = 1;
  int past = 0;  ///< cells of its first group that lie before the box
  Ends ends;     ///< of the row: of its first warp, and of its last one where that has all of its cells
  // Blocks whose rows are all there, with all of their cells: from the one in x on, up to others. None where it is turned.
  int whole_from = 0;
  int whole_to[3] = {};
  // The first cell of the first group, in the box's first row.
  const T* source = nullptr;
  T* target = nullptr;
};

/// A cell of a piece: x from its first group's first cell, row and plane as its box counts them.
struct Spot {
  int x = 0;
  int row = 0;
  int plane = 0;
};

/// What a launch works on: a part of the kernel's parameter. 1 box, whose blocks lie in the grid as they do in the box, or
/// up to Most, whose blocks come one after another.
template <typename T, int Most>
struct Boxes {
  using Cell = T;
  halocline::View<const T> source;
  halocline::View<T> target;
  Pitch source_pitch;
  Pitch target_pitch;
  int around = 0;  ///< as in WarpRow
  Piece<T> pieces[Most];
  int count = 0;

  [[nodiscard]] __device__ const T* from(const Piece<T>& piece, Spot spot) const {
    return shifted(piece.source + spot.x, spot.row * source_pitch.y + spot.plane * source_pitch.z);
  }
  [[nodiscard]] __device__ T* to(const Piece<T>& piece, Spot spot) const {
    return shifted(piece.target + spot.x, spot.row * target_pitch.y + spot.plane * target_pitch.z);
  }

  /// Every store of a launch: those cells of a group that the mask has, the first of which is at `spot` and goes to `at`,
  /// which is to(piece, spot). kept: a warp does not fill whole sectors, so that they had better stay in the cache.
  template <int N>
  __device__ void store(const Piece<T>& /*piece*/, Spot /*spot*/, T* at, const Cells<T, N>& group, unsigned written,
                        bool kept) const {
    if (kept) {
      store_each<T, N>(at, group, written);
    } else {
      cuda::store<T, N>(at, group, written);
    }
  }
};

/// A block of a launch: the piece that it belongs to, and where it lies there.
struct Place {
  int piece = 0;
  int x = 0;
  int y = 0;
  int z = 0;
};

template <typename T, int Most>
__device__ Place place_of(const Boxes<T, Most>& boxes) {
  // Without a division: a march is short, so what comes before it counts.
  if constexpr (Most == 1) {
    return {0, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
  } else {
    int p = 0;
    while (p + 1 < boxes.count && static_cast<int>(blockIdx.x) >= boxes.pieces[p + 1].first_block) ++p;
    const Piece<T>& piece = boxes.pieces[p];
    const int block = static_cast<int>(blockIdx.x) - piece.first_block;
    const int tiles_x = static_cast<int>(piece.tiles.x);
    const int tiles_y = static_cast<int>(piece.tiles.y);
    return {p, block % tiles_x, block / tiles_x % tiles_y, block / tiles_x / tiles_y};
  }
}

}  // namespace apps::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "halocline/box.hpp"
#include "mhd/state.hpp"
#include "mhd/update.hpp"

// A substep on a GPU, fused over the eight fields, in two ways that give the same bits, as what is computed from a cell's
// surroundings is the same code:
//
// cells   a thread a cell, all neighbours out of the L1 cache. For boxes of any shape.
// split   two threads a column: a block marches in z, with the planes that its cells read in shared memory, the next one on its way.
//         Each value is loaded from memory once a block; the tile's surroundings are what is loaded twice. One thread computes
//         the vector potential, the other one the gas, a plane behind, with what the first one left it in shared memory.
//         For large boxes. Where there are registers, a thread keeps its column's values (kept).
//
// Plain loads throughout: halos were written by other devices, which non-coherent loads may not see.
namespace mhd::cuda {

/// One rounding.
struct Fused {
  __device__ static float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  __device__ static double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
};

/// A box of a launch and how it is cut.
struct Piece {
  halocline::Box box;
  int first_block = 0;  ///< its blocks are those up to the next piece's
  int tiles_x = 1;      ///< blocks in x and y; in z what is left
  int tiles_y = 1;
  int bits_x = 5;  ///< cells: a block is 2^bits_x threads wide in x, 2^bits_y in y; in z what is left
  int bits_y = 2;
  int depth = 1;  ///< planes: how many a block marches through
};

/// What a launch works on: the kernel's parameter.
template <typename T, int R>
struct Work {
  Arrays<T> arrays;
  int pitch_y;  ///< of arrays: offsets of a subdomain are below 2^31
  int pitch_z;
  Scheme<T, R> scheme;
  Substep<T> substep;
  Piece pieces[6];
  int count = 0;
};

/// Updates the cell at an offset of the arrays.
template <typename Arithmetic, typename T, int R, typename Values>
__device__ void update_at(const Work<T, R>& work, int at, const Values& values) {
  update_cell<Arithmetic>(
      values, work.scheme, work.substep, [&](int field) { return work.arrays.next[field][at]; },
      [&](int field, T value) { work.arrays.next[field][at] = value; });
}

/// The piece of a block.
template <typename T, int R>
__device__ const Piece& piece_of(const Work<T, R>& work) {
  int p = 0;
  while (p + 1 < work.count && static_cast<int>(blockIdx.x) >= work.pieces[p + 1].first_block) ++p;
  return work.pieces[p];
}

inline constexpr int threads_of_cells = 128;

template <typename Arithmetic, typename T, int R, int Blocks>
__global__ void __launch_bounds__(threads_of_cells, Blocks) update_cells(const __grid_constant__ Work<T, R> work) {
  const Piece& piece = piece_of(work);
  const halocline::Box& box = piece.box;
  const int block = static_cast<int>(blockIdx.x) - piece.first_block;
  const int thread = static_cast<int>(threadIdx.x);
  const int bits_z = 7 - piece.bits_x - piece.bits_y;
  const int tile_x = block % piece.tiles_x;
  const int tile_y = block / piece.tiles_x % piece.tiles_y;
  const int tile_z = block / piece.tiles_x / piece.tiles_y;
  const int x = (tile_x << piece.bits_x) + (thread & ((1 << piece.bits_x) - 1));
  const int y = (tile_y << piece.bits_y) + (thread >> piece.bits_x & ((1 << piece.bits_y) - 1));
  const int z = (tile_z << bits_z) + (thread >> (piece.bits_x + piece.bits_y));
  if (x >= box.hi.x - box.lo.x || y >= box.hi.y - box.lo.y || z >= box.hi.z - box.lo.z) return;
  const int at = static_cast<int>(work.arrays.offset(box.lo.x + x, box.lo.y + y, box.lo.z + z));
  update_at<Arithmetic>(work, at,
                        Surroundings<T, int>(work.arrays, at, static_cast<int>(box.lo.x - work.arrays.origin.x) + x));
}
static_assert(threads_of_cells == 1 << 7);

/// A block's tile in shared memory: its columns and R more on each side, of eight fields, in as many planes as a cell reads
/// and one more, which is on its way.
template <int R, int X, int Y>
struct Tile {
  static constexpr int slots = 2 * R + 2;
  static constexpr int pitch = X + 2 * R;
  static constexpr int rows = Y + 2 * R;
  static constexpr int field = pitch * rows;
  static constexpr int plane = field_count * field;
  static constexpr int cells = slots * plane;
};

template <typename T, int R, int X, int Y>
struct InTile {
  const T* tile;
  int at[2 * R + 1];  ///< of the thread's cell, in the planes from R below to R above
  __device__ T operator()(int f, int dx, int dy, int dz) const {
    using Shape = Tile<R, X, Y>;
    return tile[at[dz + R] + f * Shape::field + dy * Shape::pitch + dx];
  }
};

}  // namespace mhd::cuda

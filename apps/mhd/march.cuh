// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "mhd/update.cuh"

// The way of update.cuh that marches in z.
namespace mhd::cuda {

/// A block's place, and what a thread of it brings into shared memory of each plane: cells of the tile, as far as the box
/// reads them.
template <typename T, int R, int X, int Y, int Threads>
struct March {
  using Shape = Tile<R, X, Y>;
  static constexpr int loads = (Shape::field + Threads - 1) / Threads;

  const Work<T, R>& work;
  T* tile;
  int z0, z1;          ///< planes of the box that are this block's
  int origin;          ///< offset of the block's first cell, in the box's first plane
  int left_x, left_y;  ///< cells of the box from there on
  int from[loads];
  bool wanted[loads];

  __device__ March(const Work<T, R>& of, T* memory) : work(of), tile(memory) {
    const Piece& piece = piece_of(work);
    const halocline::Box& box = piece.box;
    const int block = static_cast<int>(blockIdx.x) - piece.first_block;
    const int size_z = static_cast<int>(box.hi.z - box.lo.z);
    const int x0 = block % piece.tiles_x * X;
    const int y0 = block / piece.tiles_x % piece.tiles_y * Y;
    z0 = block / piece.tiles_x / piece.tiles_y * piece.depth;
    z1 = z0 + piece.depth < size_z ? z0 + piece.depth : size_z;
    left_x = static_cast<int>(box.hi.x - box.lo.x) - x0;
    left_y = static_cast<int>(box.hi.y - box.lo.y) - y0;
    origin = static_cast<int>(work.arrays.offset(box.lo.x + x0, box.lo.y + y0, box.lo.z));
    const int row_x = static_cast<int>(box.lo.x - work.arrays.origin.x) + x0;
    const int around = static_cast<int>(work.arrays.around);
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const int cell = static_cast<int>(threadIdx.x) + i * Threads;
      const int x = cell % Shape::pitch - R;
      const int y = cell / Shape::pitch - R;
      from[i] = origin + y * work.pitch_y + x;
      if (around != 0) from[i] += row_x + x < 0 ? around : (row_x + x >= around ? -around : 0);
      wanted[i] = cell < Shape::field && x < left_x + R && y < left_y + R;
    }
  }

  __device__ static int next(int slot) { return slot + 1 < Shape::slots ? slot + 1 : 0; }
  __device__ static int before(int slot) { return slot > 0 ? slot - 1 : Shape::slots - 1; }

  /// Starts to bring fields First to before Last of plane z into a slot.
  template <int First, int Last>
  __device__ void bring(int z, int slot) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      if (!wanted[i]) continue;
      T* const to = tile + slot * Shape::plane + static_cast<int>(threadIdx.x) + i * Threads;
      const int at = from[i] + z * work.pitch_z;
#pragma unroll
      for (int f = First; f < Last; ++f) {
        __pipeline_memcpy_async(to + f * Shape::field, work.arrays.now[f] + at, sizeof(T));
      }
    }
  }

  /// What the cell of column (x, y) sees where the plane R below it is in a slot.
  __device__ InTile<T, R, X, Y> around(int x, int y, int lowest) const {
    InTile<T, R, X, Y> values;
    values.tile = tile;
    const int column = (y + R) * Shape::pitch + x + R;
#pragma unroll
    for (int i = 0; i <= 2 * R; ++i) {
      const int slot = lowest + i < Shape::slots ? lowest + i : lowest + i - Shape::slots;
      values.at[i] = slot * Shape::plane + column;
    }
    return values;
  }
};

/// Values that the one half of a block leaves the other, a column each: j x B and the heat of the current.
inline constexpr int handed_over = 4;

/// What a cell sees where a half of a block keeps its fields' columns, from R planes below to R above: a third of the loads
/// of a difference along z. Marching shifts them.
template <typename T, int R, int X, int Y, int First, int Last>
struct WithColumn {
  InTile<T, R, X, Y> tile;
  T column[Last - First][2 * R + 1];

  /// The planes around the first cell.
  __device__ void fill(const InTile<T, R, X, Y>& around) {
    tile = around;
#pragma unroll
    for (int f = First; f < Last; ++f) {
#pragma unroll
      for (int i = 0; i <= 2 * R; ++i) column[f - First][i] = tile(f, 0, 0, i - R);
    }
  }
  /// Those around the cell above.
  __device__ void shift(const InTile<T, R, X, Y>& around) {
    tile = around;
#pragma unroll
    for (int f = First; f < Last; ++f) {
#pragma unroll
      for (int i = 0; i < 2 * R; ++i) column[f - First][i] = column[f - First][i + 1];
      column[f - First][2 * R] = tile(f, 0, 0, R);
    }
  }
  __device__ T operator()(int f, int dx, int dy, int dz) const {
    return dx == 0 && dy == 0 && f >= First && f < Last ? column[f - First][dz + R] : tile(f, dx, dy, dz);
  }
};

/// The same where all of them are loaded for each cell, for want of registers.
template <typename T, int R, int X, int Y>
struct WithoutColumn {
  InTile<T, R, X, Y> tile;
  __device__ void fill(const InTile<T, R, X, Y>& around) { tile = around; }
  __device__ void shift(const InTile<T, R, X, Y>& around) { tile = around; }
  __device__ T operator()(int f, int dx, int dy, int dz) const { return tile(f, dx, dy, dz); }
};

/// Kept: columns stay in registers.
template <typename Arithmetic, typename T, int R, int X, int Y, bool Kept>
__global__ void __launch_bounds__(2 * X * Y, 1) update_split(const __grid_constant__ Work<T, R> work) {
  constexpr int columns = X * Y;
  static_assert(columns % 32 == 0);  // a warp is of one half
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const March<T, R, X, Y, 2 * columns> march(work, tile);
  const bool magnetic = threadIdx.x < columns;
  const int column = static_cast<int>(threadIdx.x) - (magnetic ? 0 : columns);
  T* const handed = tile + Tile<R, X, Y>::cells + column;
  const int x = column % X;
  const int y = column / X;
  const bool inside = x < march.left_x && y < march.left_y;
  const int first = march.origin + y * work.pitch_y + x;
  const Substep<T>& substep = work.substep;
  const auto store = [&](int field, int at, T now, T rate, T before) {
    work.arrays.next[field][at] = updated<Arithmetic>(now, rate, substep, [&] { return before; });
  };
  // What was in the cells before, asked for while rates are computed.
  const auto load = [&](int field, int at) { return substep.carry != T(0) ? work.arrays.next[field][at] : T(0); };
  using Tiled = WithoutColumn<T, R, X, Y>;
  std::conditional_t<Kept, WithColumn<T, R, X, Y, ax, field_count>, Tiled> potential;
  std::conditional_t<Kept, WithColumn<T, R, X, Y, 0, ax>, Tiled> gas;

  // The gas is a plane behind in all: its fields come a step later, but for its value beside the magnetic half's cell.
  for (int z = -R; z <= R; ++z) march.template bring<ax, field_count>(march.z0 + z, z + R);
  for (int z = -R; z < R; ++z) march.template bring<0, ax>(march.z0 + z, z + R);
  __pipeline_commit();
  int lowest = 0;  // the slot of the plane R below the magnetic half's
#pragma unroll 1
  for (int z = march.z0; z <= march.z1; ++z) {
    __pipeline_wait_prior(0);
    // All planes of this step are there, and what was handed over; no thread reads the planes below them any more.
    __syncthreads();
    const int free = march.before(lowest);
    if (z + 1 < march.z1) march.template bring<ax, field_count>(z + R + 1, free);
    if (z < march.z1) march.template bring<0, ax>(z + R, march.before(free));
    __pipeline_commit();
    T mine[handed_over];
    if (!magnetic) {
#pragma unroll
      for (int i = 0; i < handed_over; ++i) mine[i] = handed[i * columns];
    }
    // It was taken, and may be overwritten.
    __syncthreads();
    if (magnetic && z < march.z1 && inside) {
      const int at = first + z * work.pitch_z;
      const Vector<T> before{load(ax, at), load(ay, at), load(az, at)};
      if (z == march.z0) {
        potential.fill(march.around(x, y, lowest));
      } else {
        potential.shift(march.around(x, y, lowest));
      }
      const auto& f = potential;
      const auto found = induction<Arithmetic>(f, work.scheme.weights, work.scheme.constants);
      handed[0] = found.lorentz.x;
      handed[columns] = found.lorentz.y;
      handed[2 * columns] = found.lorentz.z;
      handed[3 * columns] = found.ohmic_heat;
      store(ax, at, f(ax, 0, 0, 0), found.rate.x, before.x);
      store(ay, at, f(ay, 0, 0, 0), found.rate.y, before.y);
      store(az, at, f(az, 0, 0, 0), found.rate.z, before.z);
    }
    if (!magnetic && z > march.z0 && inside) {
      const int at = first + (z - 1) * work.pitch_z;
      const Vector<T> before{load(ux, at), load(uy, at), load(uz, at)};
      const T density_before = load(lnrho, at);
      const T entropy_before = load(entropy, at);
      if (z == march.z0 + 1) {
        gas.fill(march.around(x, y, free));
      } else {
        gas.shift(march.around(x, y, free));
      }
      const auto& f = gas;
      const auto found =
          gas_rates<Arithmetic>(f, work.scheme.weights, work.scheme.constants, {mine[0], mine[1], mine[2]}, mine[3]);
      store(lnrho, at, f(lnrho, 0, 0, 0), found.lnrho, density_before);
      store(ux, at, f(ux, 0, 0, 0), found.u.x, before.x);
      store(uy, at, f(uy, 0, 0, 0), found.u.y, before.y);
      store(uz, at, f(uz, 0, 0, 0), found.u.z, before.z);
      store(entropy, at, f(entropy, 0, 0, 0), found.entropy, entropy_before);
    }
    lowest = march.next(lowest);
  }
}

}  // namespace mhd::cuda

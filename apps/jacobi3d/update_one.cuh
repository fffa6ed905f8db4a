// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <nv/target>
#include <optional>

#include "jacobi3d/update.cuh"

// update_box() for one box of rows of whole groups, bit for bit: what steps mostly are. march_block() can do more, and what it finds
// out at run time takes time, most of all in a launch that is short.
namespace jacobi3d::cuda {

/// A block has a row of groups for each warp, which goes through some planes.
inline constexpr int rows_of_block = 16;
inline constexpr int longest_of_one = 4;

/// How update_one() is launched.
struct OneBox {
  dim3 grid;
  int planes = longest_of_one;  ///< of a block
  bool whole = false;           ///< whether all blocks have all of their cells
};

/// With groups of N cells. None where a box is left to march_block(): rows that are not of whole groups, few or short ones, and rows
/// whose last warp has one group, which would need both neighbours in x from memory.
template <int N>
std::optional<OneBox> one_box_of(const halocline::Vec3& size, int multiprocessors) {
  if (size.x % N != 0 || size.x < lanes / 2 * N || size.y < rows_of_block || size.x % (lanes * N) == N) {
    return std::nullopt;
  }
  const std::int64_t columns = parts_of(size.x, lanes * N);
  const std::int64_t rows = parts_of(size.y, rows_of_block);
  OneBox one;
  while (one.planes > 1 && columns * rows * parts_of(size.z, one.planes) < multiprocessors) one.planes /= 2;
  one.whole = size.x % (lanes * N) == 0 && size.y % rows_of_block == 0 && one.planes == longest_of_one &&
              size.z % longest_of_one == 0;
  one.grid = {static_cast<unsigned>(columns), static_cast<unsigned>(rows),
              static_cast<unsigned>(parts_of(size.z, one.planes))};
  return one;
}

/// A lane's place in its box, read from the hardware each time, so that nothing is kept of it. awaits: as in update_one(); the blocks
/// with the first and the last planes are then the last ones.
template <int N, bool backwards, bool awaits>
__device__ Spot place_in_one(int planes) {
  unsigned x;
  unsigned y;
  unsigned z;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  if (awaits) z = z + 1 == gridDim.z ? 0 : z + 1;
  if (backwards) z = gridDim.z - 1 - z;
  return {static_cast<int>(x * lanes + threadIdx.x % lanes) * N,
          static_cast<int>(y * rows_of_block + threadIdx.x / lanes), static_cast<int>(z) * planes};
}

/// Planes of a block that are in the box.
template <typename T>
__device__ int planes_in_one(const Piece<T>& piece, int plane, int planes) {
  return min(planes, static_cast<int>(piece.box.hi.z - piece.box.lo.z) - plane);
}

/// In the range of twice as many bits.
__device__ inline std::int64_t square(std::int32_t value) { return std::int64_t{value} * value; }

/// Work::hold() with less arithmetic, as it is at the end of each short launch: spheres that do not reach the warp are left out, and
/// distances have 32 bits.
template <int N, typename Work>
__device__ __noinline__ void hold_near(const Work& work, Spot spot, int planes, unsigned written) {
  using T = typename Work::Cell;
  const Piece<T>& piece = work.pieces[0];
  const halocline::Vec3 at = piece.box.lo + halocline::Vec3{spot.x, spot.row, spot.plane};
  const std::int64_t first = at.x - static_cast<int>(threadIdx.x % lanes) * N;
  for (const Sphere& sphere : work.spheres) {
    if (!reaches(sphere, {first, at.y, at.z}, {first + lanes * N, at.y + 1, at.z + planes})) continue;
    const auto x = static_cast<std::int32_t>(at.x - sphere.centre.x);
    const auto y = static_cast<std::int32_t>(at.y - sphere.centre.y);
    const auto z = static_cast<std::int32_t>(at.z - sphere.centre.z);
    Cells<T, N> values;
    for (int i = 0; i < N; ++i) values.v[i] = static_cast<T>(sphere.value);
    for (int plane = 0; plane < planes; ++plane) {
      const std::int64_t rest = square(static_cast<std::int32_t>(sphere.radius)) - square(y) - square(z + plane);
      unsigned held = 0;
      for (int i = 0; i < N; ++i) {
        if (square(x + i) <= rest) held |= 1u << i;
      }
      const Spot in_plane = {spot.x, spot.row, spot.plane + plane};
      work.store(piece, in_plane, work.to(piece, in_plane), values, held & written, true);
    }
  }
}

/// Behind the march, which keeps nothing for it.
template <int N, bool backwards, bool awaits, typename Work>
__device__ __noinline__ void hold_in_one(const Work& work, int planes_of_block) {
  const auto& piece = work.pieces[0];
  const Spot spot = place_in_one<N, backwards, awaits>(planes_of_block);
  const unsigned written = spot.x < static_cast<int>(piece.box.hi.x - piece.box.lo.x) ? all_cells<N> : 0;
  hold_near<N>(work, spot, planes_in_one(piece, spot.plane, planes_of_block), written);
}

/// Code from older PTX does not wait in await_halos(), and must not be started early.
inline constexpr int first_ptx_that_waits = 90;

/// Waits for the end of the kernel before this one in its stream, and for its stores.
__device__ inline void await_halos() { NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) }

/// backwards: from the last plane to the first, blocks as well as marches, so that planes which two marches read are still read
/// at about the same time. whole: as in OneBox; awaits: as in update_one(). around: the block has the first or the last rows,
/// which read around in y; in one march with the others, it would take registers of theirs.
template <int N, bool backwards, bool whole, bool awaits, bool around, typename Work>
__device__ void march_one(const Work& work) {
  using T = typename Work::Cell;
  const Piece<T>& piece = work.pieces[0];
  const int planes_of_block = whole ? longest_of_one : work.planes;
  Spot spot = place_in_one<N, backwards, awaits>(planes_of_block);
  const int columns = static_cast<int>(piece.box.hi.x - piece.box.lo.x);
  const bool there = whole || spot.x < columns;
  int planes = longest_of_one;
  if (!whole) {
    planes = planes_in_one(piece, spot.plane, planes_of_block);
    if (spot.row >= static_cast<int>(piece.box.hi.y - piece.box.lo.y)) return;  // whole warps leave
  }
  const bool first = threadIdx.x % lanes == 0;
  const bool last = threadIdx.x % lanes == lanes - 1 || (!whole && spot.x + N == columns);
  // The neighbour in x that no lane of the warp has.
  int beside = 0;
  if (first) beside = spot.x == 0 ? piece.ends.left : -1;
  if (last) beside = spot.x + N == columns ? piece.ends.right : N;
  if constexpr (awaits) {
    if (spot.plane == 0 || spot.plane + planes_of_block >= static_cast<int>(piece.box.hi.z - piece.box.lo.z))
      await_halos();
  }
  const bool at_first_row = around && spot.row == 0;
  const bool at_last_row = around && spot.row + 1 == static_cast<int>(piece.box.hi.y - piece.box.lo.y);
  if (!there) spot.x = 0;  // a lane beyond the row reads what is there, and stores nothing
  if (backwards) spot.plane += planes - 1;
  const T* at = work.from(piece, spot);
  T* to = work.to(piece, spot);
  const auto next = [](auto* address, std::int64_t pitch) { return shifted(address, backwards ? -pitch : pitch); };

  Cells<T, N> before;
  Cells<T, N> middle;
  load_all(before, shifted(at, backwards ? work.source_pitch.z : -work.source_pitch.z));
  load_all(middle, at);
#pragma unroll
  for (int plane = 0; plane < longest_of_one; ++plane) {
    Cells<T, N> below_y;
    Cells<T, N> above_y;
    Cells<T, N> behind;
    load_all(below_y, shifted(at, at_first_row ? work.around_y : -work.source_pitch.y));
    load_all(above_y, shifted(at, at_last_row ? -work.around_y : work.source_pitch.y));
    load_all(behind, next(at, work.source_pitch.z));
    T left = __shfl_up_sync(0xffffffffu, middle.v[N - 1], 1);
    T right = __shfl_down_sync(0xffffffffu, middle.v[0], 1);
    if (first) left = at[beside];
    if (last) right = at[beside];
    const Cells<T, N>& below = backwards ? behind : before;
    const Cells<T, N>& above = backwards ? before : behind;
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] = work.stencil.combine(i == 0 ? left : middle.v[i == 0 ? 0 : i - 1],
                                         i == N - 1 ? right : middle.v[i == N - 1 ? i : i + 1], below_y.v[i],
                                         above_y.v[i], below.v[i], above.v[i], middle.v[i]);
    }
    if (there) keep_all(to, result);
    if (!whole && plane + 1 >= planes) break;
    before = middle;
    middle = behind;
    at = next(at, work.source_pitch.z);
    to = next(to, work.target_pitch.z);
  }
  const Spot here = place_in_one<N, backwards, awaits>(planes_of_block);
  const int first_row = here.row - static_cast<int>(threadIdx.x / lanes);
  if (work.may_hold(0, {0, first_row, here.plane}, rows_of_block, planes_of_block)) {
    hold_in_one<N, backwards, awaits>(work, planes_of_block);
  }
}

/// For update()'s work with one box. Where steps go through planes in turns forwards and backwards, what a step stores last the
/// next one reads first, while it is in the L2 cache. awaits: the kernel may start while the kernel before it, an exchange, is under
/// way. It computes the planes that read no halo in z first, waits for the end of the exchange, and computes the others. The box wraps
/// around in y: what its first and last rows read beyond it is read at its other end, not from the halo.
template <typename T, int N, std::size_t S, bool whole, bool awaits>
__global__ void __launch_bounds__(lanes* rows_of_block, shape.resident_blocks)
    update_one(const __grid_constant__ Work<T, S, 1> work) {
  if (awaits && (blockIdx.y == 0 || blockIdx.y + 1 == gridDim.y)) {
    work.backwards ? march_one<N, true, whole, awaits, awaits>(work) : march_one<N, false, whole, awaits, awaits>(work);
  } else if (work.backwards) {
    march_one<N, true, whole, awaits, false>(work);
  } else {
    march_one<N, false, whole, awaits, false>(work);
  }
}

}  // namespace jacobi3d::cuda

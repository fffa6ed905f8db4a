#pragma once

#include <cstdint>

#include "common/cells.cuh"
#include "halocline/core/box.hpp"
#include "halocline/domain/view.hpp"
#include "laplace3d/kernels.hpp"
#include "laplace3d/stencil.hpp"

// update_box() on a GPU, bit for bit, for up to two boxes in one launch.
//
// A warp takes a row of groups of 16 bytes (or of single cells, where rows are not aligned to that) and marches in z. What it
// needs of a plane stays in registers for as long as the plane counts: the cells, and with 19 points the sums of their
// sides. Planes are prefetched while others are computed; neighbours in y are rows of warps of the same block, and come
// out of the L1 cache; those in x are exchanged within the warp.
//
// Plain loads throughout: halos were written by other devices, which non-coherent loads may not see.
namespace laplace3d::cuda {

using namespace apps::cuda;

inline constexpr int warps = 8;
/// Planes that are on their way from memory while one is computed.
inline constexpr int planes_ahead = 2;

/// A box and how it is cut: a block is warps_y warps side by side in y, and so many more behind each other in z, each
/// marching through `planes` planes.
struct Piece {
  halocline::Box box;
  int first_block = 0;  ///< its blocks are those up to the next piece's
  int tiles_x = 1;
  int tiles_y = 1;
  int warps_y = 1;
  int planes = 1;
};

/// The kernel's parameter.
template <typename T>
struct Work {
  halocline::View<const T> source;
  halocline::View<T> target;
  Weights<T> weights;
  Piece pieces[most_boxes];
  int count = 0;
};

/// What a lane reads of a row: its N cells and the one on either side.
template <typename T, int N>
struct Row {
  Cells<T, N> cells;
  T left;
  T right;
  __device__ T before(int i) const { return i == 0 ? left : cells.v[i == 0 ? 0 : i - 1]; }
  __device__ T behind(int i) const { return i == N - 1 ? right : cells.v[i == N - 1 ? i : i + 1]; }
};

/// A warp's place in its rows.
struct Lane {
  unsigned read;    ///< cells of the group that are inside the box, or beside it in x
  unsigned beside;  ///< the same where any of the group is inside, else 0
  bool first;       ///< its left neighbour is no lane's
  bool last;
};

/// The whole warp calls it.
template <typename T, int N>
__device__ Row<T, N> load_row(const T* row, const Lane& lane) {
  Row<T, N> result;
  result.cells = load<T, N>(row, lane.read);
  result.left = __shfl_up_sync(0xffffffffu, result.cells.v[N - 1], 1);
  result.right = __shfl_down_sync(0xffffffffu, result.cells.v[0], 1);
  if (lane.first) result.left = row[-1];
  if (lane.last) result.right = row[N];
  return result;
}

/// Of a plane: its cells, the sums of the four beside each by faces and, where a step reads them, by edges.
template <typename T, int N>
struct Plane {
  Cells<T, N> centre;
  Cells<T, N> sides;
  Cells<T, N> edges;
};

template <typename T, int N>
__device__ Plane<T, N> load_plane19(const char* at, std::int64_t pitch_y, const Lane& lane) {
  const auto row = [](const char* address) { return reinterpret_cast<const T*>(address); };
  const auto centre = load_row<T, N>(row(at), lane);
  const auto below = load_row<T, N>(row(at - pitch_y), lane);
  const auto above = load_row<T, N>(row(at + pitch_y), lane);
  Plane<T, N> plane;
  plane.centre = centre.cells;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    plane.sides.v[i] = sum_of(centre.before(i), centre.behind(i), below.cells.v[i], above.cells.v[i]);
    plane.edges.v[i] = sum_of(below.before(i), below.behind(i), above.before(i), above.behind(i));
  }
  return plane;
}

/// Where a warp marches: bytes at its lane's first cell in the first plane, and from there on.
struct March {
  const char* at;
  char* to;
  std::int64_t pitch_y;
  std::int64_t pitch_z;
  std::int64_t target_pitch_z;
  int planes;
};

template <typename T, int N>
__device__ void march7(const Weights<T>& w, const March& march, const Lane& lane, unsigned written) {
  const auto row = [](const char* address) { return reinterpret_cast<const T*>(address); };
  const char* at = march.at;
  char* to = march.to;
  Cells<T, N> below = load<T, N>(row(at - march.pitch_z), lane.beside);
  Cells<T, N> centre = load<T, N>(row(at), lane.read);
  prefetch(at + 2 * march.pitch_z, lane.beside != 0 && march.planes > 1);
#pragma unroll 1
  for (int left_over = march.planes; left_over > 0; --left_over) {
    const Cells<T, N> above = load<T, N>(row(at + march.pitch_z), left_over > 1 ? lane.read : lane.beside);
    prefetch(at + (1 + planes_ahead) * march.pitch_z, lane.beside != 0 && left_over > planes_ahead);
    const Cells<T, N> below_y = load<T, N>(row(at - march.pitch_y), lane.beside);
    const Cells<T, N> above_y = load<T, N>(row(at + march.pitch_y), lane.beside);
    Row<T, N> middle;
    middle.cells = centre;
    middle.left = __shfl_up_sync(0xffffffffu, centre.v[N - 1], 1);
    middle.right = __shfl_down_sync(0xffffffffu, centre.v[0], 1);
    if (lane.first) middle.left = row(at)[-1];
    if (lane.last) middle.right = row(at)[N];
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const T sides = sum_of(middle.before(i), middle.behind(i), below_y.v[i], above_y.v[i]);
      result.v[i] = weigh7(w, centre.v[i], sides, below.v[i], above.v[i]);
    }
    store<T, N>(reinterpret_cast<T*>(to), result, written);
    below = centre;
    centre = above;
    at += march.pitch_z;
    to += march.target_pitch_z;
  }
}

template <typename T, int N>
__device__ void march19(const Weights<T>& w, const March& march, const Lane& lane, unsigned written) {
  const char* at = march.at;
  char* to = march.to;
  Plane<T, N> below = load_plane19<T, N>(at - march.pitch_z, march.pitch_y, lane);
  Plane<T, N> middle = load_plane19<T, N>(at, march.pitch_y, lane);
  prefetch(at + 2 * march.pitch_z, lane.beside != 0 && march.planes > 1);
#pragma unroll 1
  for (int left_over = march.planes; left_over > 0; --left_over) {
    prefetch(at + (1 + planes_ahead) * march.pitch_z, lane.beside != 0 && left_over > planes_ahead);
    const Plane<T, N> above = load_plane19<T, N>(at + march.pitch_z, march.pitch_y, lane);
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] = weigh19(w, middle.centre.v[i], middle.sides.v[i], middle.edges.v[i], below.centre.v[i],
                            above.centre.v[i], below.sides.v[i], above.sides.v[i]);
    }
    store<T, N>(reinterpret_cast<T*>(to), result, written);
    below = middle;
    middle = above;
    at += march.pitch_z;
    to += march.target_pitch_z;
  }
}

/// N: cells of a group; N times the size of a cell is what all addresses and strides of both arrays are multiples of.
template <typename T, int N, int Points>
__global__ void __launch_bounds__(lanes* warps) update(const __grid_constant__ Work<T> work) {
  int p = 0;
  while (p + 1 < work.count && static_cast<int>(blockIdx.x) >= work.pieces[p + 1].first_block) ++p;
  const Piece& piece = work.pieces[p];
  const halocline::Box& box = piece.box;
  const int block = static_cast<int>(blockIdx.x) - piece.first_block;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const int tile_x = block % piece.tiles_x;
  const int tile_y = block / piece.tiles_x % piece.tiles_y;
  const int tile_z = block / piece.tiles_x / piece.tiles_y;
  const std::int64_t y = box.lo.y + std::int64_t{tile_y} * piece.warps_y + warp % piece.warps_y;
  const std::int64_t z0 =
      box.lo.z + (std::int64_t{tile_z} * (warps / piece.warps_y) + warp / piece.warps_y) * piece.planes;
  if (y >= box.hi.y || z0 >= box.hi.z) return;  // whole warps leave
  const std::int64_t left_over = box.hi.z - z0;
  // Groups are counted from the first owned cell, where a box begins: slabs are cut in z alone.
  const std::int64_t x = box.lo.x + (std::int64_t{tile_x} * lanes + lane) * N;
  const unsigned written = mask_within<N>(x, box.lo.x, box.hi.x);
  Lane mine;
  mine.read = mask_within<N>(x, box.lo.x - 1, box.hi.x + 1);
  mine.beside = written != 0 ? mine.read : 0;
  mine.first = lane == 0 && (written & 1u) != 0;
  mine.last = lane == lanes - 1 && (written >> (N - 1) & 1u) != 0;
  const auto& view = work.source;
  const March march{reinterpret_cast<const char*>(&view(x, y, z0)),
                    reinterpret_cast<char*>(&work.target(x, y, z0)),
                    bytes_between(view(0, 0, 0), view(0, 1, 0)),
                    bytes_between(view(0, 0, 0), view(0, 0, 1)),
                    bytes_between(work.target(0, 0, 0), work.target(0, 0, 1)),
                    static_cast<int>(left_over < piece.planes ? left_over : piece.planes)};
  if constexpr (Points == 7) {
    march7<T, N>(work.weights, march, mine, written);
  } else {
    march19<T, N>(work.weights, march, mine, written);
  }
}

}  // namespace laplace3d::cuda

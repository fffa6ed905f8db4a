// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "common/cells.cuh"

// A stencil of radius 1 on a GPU: a warp has a row of groups of cells, a group a lane, and goes with it through planes.
//
// A stencil says what a march keeps of a plane, and what a group becomes of three of them:
//   planes_ahead                           planes that are prefetched while one is computed; 0: none
//   unrolled                               planes of one turn of the march's loop
//   turned                                 whether lanes lie along y, each with one cell of a column
//   plane(row, at, beside)                 what is kept of the plane in which the lane's group is at `at`. Without `beside` it is
//                                          the plane before the first or behind the last one
//   update(row, at, below, middle, above)  the group at `at`, from what was kept of three planes
// The whole warp calls both.
namespace apps::cuda {

/// Bytes from a row, or plane, to the next.
struct Pitch {
  std::int64_t y = 0;
  std::int64_t z = 0;
};

/// Where a warp's lanes find the neighbouring cells that no lane has, in cells from their own first one.
struct Ends {
  int left;   ///< of the first lane
  int right;  ///< of the last lane
};

/// Which of a lane's N cells are there.
struct Masks {
  unsigned written = 0;
  unsigned read = 0;    ///< including the neighbours of what is written
  unsigned beside = 0;  ///< the same in lanes that write, else none
  unsigned first = 0;   ///< of what is read: the first one's place beyond the end, in rows without a halo
};

/// A lane's N cells of a row, and the one on either side.
template <typename T, int N>
struct Neighbours {
  Cells<T, N> cells;
  T left;
  T right;
  __device__ T before(int i) const { return i == 0 ? left : cells.v[i == 0 ? 0 : i - 1]; }
  __device__ T behind(int i) const { return i == N - 1 ? right : cells.v[i == N - 1 ? i : i + 1]; }
};

/// Which cells of its row a warp has: all; some, as masks say; or some of a row that has no halo, so that what lies beyond one
/// end of it is at the other.
enum class Part : int { whole, masked, wrapped };

/// A warp's row of 32 N cells, as one lane sees it. What it is made of outlives it: as references, so that a kernel's
/// parameters are read where they are needed, and take no registers in between.
template <typename T, int N, Part P>
struct WarpRow {
  const Pitch& pitch;
  const Ends& ends;
  int around;  ///< cells of a wrapped row
  Masks masks;
  // Its neighbour in x is no lane's.
  bool first;
  bool last;

  __device__ WarpRow(const Pitch& of_source, const Ends& of_row, int lane, const Masks& given = {}, int cells = 0)
      : pitch(of_source), ends(of_row), around(cells), masks(given) {
    if (P == Part::whole) masks = {all_cells<N>, all_cells<N>, all_cells<N>, 0};
    first = lane == 0 && (masks.written & 1u) != 0;
    last = lane == lanes - 1 && (masks.written >> (N - 1) & 1u) != 0;
  }

  /// The group at an address; beside: with the cells that others in the row take from it.
  __device__ Cells<T, N> load(const T* at, bool beside) const {
    Cells<T, N> cells = cuda::load<T, N>(at, beside ? masks.read : masks.beside);
    if constexpr (P == Part::wrapped) {
      const unsigned wrapped = beside ? masks.first : 0;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if ((wrapped >> i & 1u) != 0) cells.v[i] = at[i - around];
      }
    }
    return cells;
  }

  /// Asks for the group at an address, where it is wanted.
  __device__ void bring(const T* at, bool wanted) const { prefetch(at, wanted && masks.beside != 0); }

  /// For a group that was loaded with its neighbours. The whole warp calls it.
  __device__ Neighbours<T, N> neighbours(const Cells<T, N>& cells, const T* at) const {
    Neighbours<T, N> found;
    found.cells = cells;
    found.left = __shfl_up_sync(0xffffffffu, cells.v[N - 1], 1);
    found.right = __shfl_down_sync(0xffffffffu, cells.v[0], 1);
    if (first) found.left = at[ends.left];
    if (last) found.right = at[ends.right];
    return found;
  }
};

/// A cell and its six neighbours by faces. Combine: the cell's next value from (left, right, below in y, above in y,
/// below in z, above in z, the cell). Neighbours in y are read when their plane is the middle one.
template <typename Combine>
struct Star {
  static constexpr int planes_ahead = 0;
  static constexpr int unrolled = 1;
  static constexpr bool turned = false;
  Combine combine;

  template <typename T, int N, Part P>
  __device__ Cells<T, N> plane(const WarpRow<T, N, P>& row, const T* at, bool beside) const {
    return row.load(at, beside);
  }

  template <typename T, int N, Part P>
  __device__ Cells<T, N> update(const WarpRow<T, N, P>& row, const T* at, const Cells<T, N>& below,
                                const Cells<T, N>& middle, const Cells<T, N>& above) const {
    const Cells<T, N> below_y = row.load(shifted(at, -row.pitch.y), false);
    const Cells<T, N> above_y = row.load(shifted(at, row.pitch.y), false);
    const Neighbours<T, N> x = row.neighbours(middle, at);
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] = combine(x.before(i), x.behind(i), below_y.v[i], above_y.v[i], below.v[i], above.v[i], middle.v[i]);
    }
    return result;
  }
};

/// The same where lanes lie along y, each with one cell. left, right: where its neighbours in x are, in cells from there.
template <typename Combine>
struct TurnedStar {
  static constexpr int planes_ahead = 0;
  static constexpr int unrolled = 4;
  static constexpr bool turned = true;
  Combine combine;
  int left;
  int right;

  template <typename T>
  __device__ Cells<T, 1> plane(const WarpRow<T, 1, Part::masked>& row, const T* at, bool beside) const {
    return row.load(at, beside);
  }

  template <typename T>
  __device__ Cells<T, 1> update(const WarpRow<T, 1, Part::masked>& row, const T* at, const Cells<T, 1>& below,
                                const Cells<T, 1>& middle, const Cells<T, 1>& above) const {
    const Neighbours<T, 1> y = row.neighbours(middle, at);
    const Cells<T, 1> before = row.load(at + left, false);
    const Cells<T, 1> behind = row.load(at + right, false);
    return {{combine(before.v[0], behind.v[0], y.left, y.right, below.v[0], above.v[0], middle.v[0])}};
  }
};

/// Goes through a number of planes, 1 or more. at: of the lane's group in the first of them; to: where its result goes, among
/// rows and planes of that pitch. Calls store(p, to, group), p from 0. The whole warp calls it.
template <typename Stencil, typename T, int N, Part P, typename Store>
__device__ void march(const Stencil& stencil, const WarpRow<T, N, P>& row, const T* at, T* to, const Pitch& pitch,
                      int planes, const Store& store) {
  constexpr int ahead = Stencil::planes_ahead;
  auto below = stencil.plane(row, shifted(at, -row.pitch.z), false);
  auto middle = stencil.plane(row, at, true);
#pragma unroll
  for (int plane = 2; plane <= ahead; ++plane) row.bring(shifted(at, plane * row.pitch.z), planes >= plane);
#pragma unroll Stencil::unrolled
  for (int left_over = planes; left_over > 0; --left_over) {
    if constexpr (ahead > 0) row.bring(shifted(at, (1 + ahead) * row.pitch.z), left_over > ahead);
    const auto above = stencil.plane(row, shifted(at, row.pitch.z), left_over > 1);
    store(planes - left_over, to, stencil.update(row, at, below, middle, above));
    below = middle;
    middle = above;
    at = shifted(at, row.pitch.z);
    to = shifted(to, pitch.z);
  }
}

}  // namespace apps::cuda

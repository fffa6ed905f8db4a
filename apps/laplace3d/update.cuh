// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/march_boxes.cuh"
#include "laplace3d/kernels.hpp"
#include "laplace3d/stencil.hpp"

// update_box() on a GPU, bit for bit, for up to two boxes in one launch.
namespace laplace3d::cuda {

using namespace apps::cuda;

template <typename T>
struct Weigh7 {
  Weights<T> weights;
  __device__ T operator()(T left, T right, T below_y, T above_y, T below, T above, T centre) const {
    return weigh7(weights, centre, sum_of(left, right, below_y, above_y), below, above);
  }
};

/// With the neighbours by edges. Of each plane the sums stay in registers for as long as it counts, and its rows are loaded
/// once; planes are prefetched while others are computed.
template <typename T>
struct Points19 {
  static constexpr int planes_ahead = 2;
  static constexpr int unrolled = 1;
  static constexpr bool turned = false;
  Weights<T> weights;

  /// A plane's cells, and for each the sums of its four neighbours across faces and across edges.
  template <int N>
  struct Plane {
    Cells<T, N> centre;
    Cells<T, N> sides;
    Cells<T, N> edges;
  };

  template <int N, Part P>
  __device__ Plane<N> plane(const WarpRow<T, N, P>& row, const T* at, bool) const {
    const auto load = [&](const T* of) { return row.neighbours(row.load(of, true), of); };
    const auto centre = load(at);
    const auto below = load(shifted(at, -row.pitch.y));
    const auto above = load(shifted(at, row.pitch.y));
    Plane<N> plane;
    plane.centre = centre.cells;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      plane.sides.v[i] = sum_of(centre.before(i), centre.behind(i), below.cells.v[i], above.cells.v[i]);
      plane.edges.v[i] = sum_of(below.before(i), below.behind(i), above.before(i), above.behind(i));
    }
    return plane;
  }

  template <int N, Part P>
  __device__ Cells<T, N> update(const WarpRow<T, N, P>&, const T*, const Plane<N>& below, const Plane<N>& middle,
                                const Plane<N>& above) const {
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] = weigh19(weights, middle.centre.v[i], middle.sides.v[i], middle.edges.v[i], below.centre.v[i],
                            above.centre.v[i], below.sides.v[i], above.sides.v[i]);
    }
    return result;
  }
};

// No box is thin in x, as slabs are cut in z alone. Blocks that a multiprocessor has room for: as many as leave the registers
// that whole rows need.
template <typename T, int Points>
struct StencilOf {
  using Type = Star<Weigh7<T>>;
  static constexpr Shape shape{.resident_blocks = 3, .turns = false};
  static Type with(const Weights<T>& weights) { return {{weights}}; }
};
template <typename T>
struct StencilOf<T, 19> {
  using Type = Points19<T>;
  static constexpr Shape shape{.warps = 8, .resident_blocks = 3, .longest_march = 16, .turns = false};
  static Type with(const Weights<T>& weights) { return {weights}; }
};

/// The kernel's parameter.
template <typename T, int Points, int Most>
struct Work : Boxes<T, Most> {
  static constexpr Shape shape = StencilOf<T, Points>::shape;
  static constexpr bool turns = shape.turns;
  static constexpr bool wraps = false;
  static constexpr bool holds = false;
  typename StencilOf<T, Points>::Type stencil;
};

/// N: as for march_block().
template <typename T, int N, int Points, int Most>
__global__ void __launch_bounds__(lanes* StencilOf<T, Points>::shape.warps, StencilOf<T, Points>::shape.resident_blocks)
    update(const __grid_constant__ Work<T, Points, Most> work) {
  march_block<N>(work);
}

}  // namespace laplace3d::cuda

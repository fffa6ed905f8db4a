// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "common/march_boxes.cuh"
#include "jacobi3d/problem.hpp"

// update_box() on a GPU, bit for bit: for up to six boxes in one launch.
namespace jacobi3d::cuda {

using namespace apps::cuda;

__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }

/// The order is row.cpp's.
struct Average {
  template <typename T>
  __device__ T operator()(T left, T right, T below_y, T above_y, T below_z, T above_z, T centre) const {
    constexpr T seventh = T(1) / T(7);
    T sum = add(left, right);
    sum = add(sum, below_y);
    sum = add(sum, above_y);
    sum = add(sum, below_z);
    sum = add(sum, above_z);
    sum = add(sum, centre);
    return multiply(sum, seventh);
  }
};

/// Whether a sphere reaches into the cells from lo to before hi.
__device__ inline bool reaches(const Sphere& sphere, const halocline::Vec3& lo, const halocline::Vec3& hi) {
  const halocline::Vec3& c = sphere.centre;
  const std::int64_t r = sphere.radius;
  return c.x + r >= lo.x && c.x - r < hi.x && c.y + r >= lo.y && c.y - r < hi.y && c.z + r >= lo.z && c.z - r < hi.z;
}

__device__ inline bool holds(const Sphere& sphere, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::int64_t dx = x - sphere.centre.x;
  const std::int64_t dy = y - sphere.centre.y;
  const std::int64_t dz = z - sphere.centre.z;
  return dx * dx + dy * dy + dz * dz <= sphere.radius * sphere.radius;
}

/// Rows and planes of a piece in which spheres are, as its box counts them: the others are spared the question.
struct Reach {
  int rows[2] = {};
  int planes[2] = {};
};

/// The kernel's parameter. Spheres: 2, or more for boxes beyond the domain's edge.
template <typename T, std::size_t Spheres, int Most>
struct Work : Boxes<T, Most> {
  static constexpr bool turns = true;
  static constexpr bool wraps = true;
  static constexpr bool holds = true;
  Star<Average> stencil;
  Sphere spheres[Spheres];  ///< the later one prevails
  Reach reach[Most];        ///< of each piece
  // For update_one():
  bool backwards = false;
  int planes = 1;             ///< of a block
  std::int64_t around_y = 0;  ///< bytes from the first row to the last one, where rows are read around

  __device__ bool may_hold(int piece, Spot block, int rows, int planes) const {
    const Reach& of = reach[piece];
    return block.row < of.rows[1] && block.row + rows > of.rows[0] && block.plane < of.planes[1] &&
           block.plane + planes > of.planes[0];
  }

  /// Puts the spheres' cells of a warp's cells back, as row.cpp does after a row. The whole warp calls it.
  template <int N>
  __device__ __noinline__ void hold(const Piece<T>& piece, Spot spot, int planes, unsigned written) const {
    const halocline::Vec3 at = cell_of(piece, spot);
    const std::int64_t first = at.x - static_cast<int>(threadIdx.x % lanes) * N;
    hold<N>({{first, at.y, at.z}, {first + lanes * N, at.y + 1, at.z + planes}}, piece, spot, at, written);
  }
  __device__ void hold_turned(const Piece<T>& piece, Spot spot, int planes, unsigned written) const {
    const halocline::Vec3 at = cell_of(piece, spot);
    const std::int64_t first = at.y - static_cast<int>(threadIdx.x % lanes);
    hold<1>({{at.x, first, at.z}, {at.x + 1, first + lanes, at.z + planes}}, piece, spot, at, written);
  }

 private:
  __device__ static halocline::Vec3 cell_of(const Piece<T>& piece, Spot spot) {
    const halocline::Vec3& lo = piece.box.lo;
    return {lo.x - piece.past + spot.x, lo.y + spot.row, lo.z + spot.plane};
  }

  /// at: the cell at spot; the lane's are those in the mask from there on, in the warp's planes.
  template <int N>
  __device__ void hold(const halocline::Box& of_warp, const Piece<T>& piece, Spot spot, const halocline::Vec3& at,
                       unsigned written) const {
    // Most warps hold none: their lanes find that out together, each with some of the spheres.
    bool reached = false;
    for (unsigned s = threadIdx.x % lanes; s < Spheres; s += lanes) {
      reached = reached || reaches(spheres[s], of_warp.lo, of_warp.hi);
    }
    if (!__any_sync(0xffffffffu, reached)) return;
    const int planes = static_cast<int>(of_warp.hi.z - of_warp.lo.z);
    for (const Sphere& sphere : spheres) {
      for (int plane = 0; plane < planes; ++plane) {
        const Spot in_plane = {spot.x, spot.row, spot.plane + plane};
        Cells<T, N> values;
        unsigned held = 0;
        for (int i = 0; i < N; ++i) {
          values.v[i] = static_cast<T>(sphere.value);
          if (cuda::holds(sphere, at.x + i, at.y, at.z + plane)) held |= 1u << i;
        }
        this->store(piece, in_plane, this->to(piece, in_plane), values, held & written, true);
      }
    }
  }
};

inline constexpr Shape shape{};

/// N: as for march_block().
template <typename T, int N, std::size_t S, int Most>
__global__ void __launch_bounds__(lanes* shape.warps, shape.resident_blocks)
    update(const __grid_constant__ Work<T, S, Most> work) {
  march_block<N>(work);
}

}  // namespace jacobi3d::cuda

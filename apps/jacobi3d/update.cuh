#pragma once

#include <cstdint>

#include "halocline/core/box.hpp"
#include "halocline/domain/view.hpp"
#include "jacobi3d/problem.hpp"

// update_box() on a GPU, bit for bit: for up to six boxes in one launch.
//
// A warp takes a row of groups of 16 bytes (or of single cells, where rows are not aligned to that), and marches in z:
// of the planes below, at and above its cells each is loaded once, having been prefetched while others were computed.
// Neighbours in y are rows of warps of the same block, and come out of the L1 cache; those in x are exchanged within
// the warp. Boxes that are thin in x (the sides of a subdomain) are turned: the warp's lanes lie along y.
//
// Plain loads throughout: halos were written by other devices, which non-coherent loads may not see.
namespace jacobi3d::cuda {

inline constexpr int lanes = 32;
inline constexpr int warps = 8;
/// Blocks that a multiprocessor has room for: what registers are limited by.
inline constexpr int resident_blocks = 4;
/// Planes that are on their way from memory while one is computed: registers hold too few to keep memory busy.
inline constexpr int planes_ahead = 2;

/// A box of the launch and how it is cut: a block is `warps` warps, warps_y of them side by side in y, the others
/// behind each other in z, each marching through `planes` planes.
struct Piece {
  halocline::Box box;
  bool thin = false;    ///< lanes along y, not x
  int first_block = 0;  ///< its blocks are those up to the next piece's
  int tiles_x = 1;      ///< blocks in x and y; in z what is left
  int tiles_y = 1;
  int warps_y = 1;
  int planes = 1;
};

/// What a launch works on: the kernel's parameter. Spheres: 2, or more for boxes beyond the domain's edge.
template <typename T, std::size_t Spheres>
struct Work {
  halocline::View<const T> source;
  halocline::View<T> target;
  Sphere spheres[Spheres];  ///< the later one prevails
  Piece pieces[6];
  int count = 0;
};

/// N cells of a row. Each has a bit in masks: 1 << i for cell i.
template <typename T, int N>
struct Cells {
  T v[N];
};
template <int N>
inline constexpr unsigned all_cells = (1u << N) - 1;

__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }

__device__ inline void load_all(Cells<float, 4>& cells, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  cells = {{v.x, v.y, v.z, v.w}};
}
__device__ inline void load_all(Cells<double, 2>& cells, const double* from) {
  const double2 v = *reinterpret_cast<const double2*>(from);
  cells = {{v.x, v.y}};
}
template <typename T>
__device__ void load_all(Cells<T, 1>& cells, const T* from) {
  cells.v[0] = *from;
}

// What was written is read by the next step at the earliest: it need not displace what this one reads.
__device__ inline void store_all(float* to, const Cells<float, 4>& cells) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(cells.v[0], cells.v[1], cells.v[2], cells.v[3]));
}
__device__ inline void store_all(double* to, const Cells<double, 2>& cells) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(cells.v[0], cells.v[1]));
}
template <typename T>
__device__ void store_all(T* to, const Cells<T, 1>& cells) {
  __stcs(to, cells.v[0]);
}

/// Cells outside the mask are not touched, and 0.
template <typename T, int N>
__device__ Cells<T, N> load(const T* from, unsigned mask) {
  Cells<T, N> cells{};
  if (mask == all_cells<N>) {
    load_all(cells, from);
  } else if (mask != 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if ((mask >> i & 1u) != 0) cells.v[i] = from[i];
    }
  }
  return cells;
}

template <typename T, int N>
__device__ void store(T* to, const Cells<T, N>& cells, unsigned mask) {
  if (mask == all_cells<N>) {
    store_all(to, cells);
  } else if (mask != 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if ((mask >> i & 1u) != 0) to[i] = cells.v[i];
    }
  }
}

/// Brings what lies at an address into the L2 cache, where devices agree on it.
__device__ inline void prefetch(const void* address, bool wanted) {
  if (wanted) asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// The mask of the cells x, x + 1, ... that lie in [lo, hi).
template <int N>
__device__ unsigned mask_within(std::int64_t x, std::int64_t lo, std::int64_t hi) {
  unsigned mask = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (x + i >= lo && x + i < hi) mask |= 1u << i;
  }
  return mask;
}

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

/// The order is row.cpp's.
template <typename T>
__device__ T average(T left, T right, T below_y, T above_y, T below_z, T above_z, T centre) {
  constexpr T seventh = T(1) / T(7);
  T sum = add(left, right);
  sum = add(sum, below_y);
  sum = add(sum, above_y);
  sum = add(sum, below_z);
  sum = add(sum, above_z);
  sum = add(sum, centre);
  return multiply(sum, seventh);
}

/// Puts the spheres' cells of a warp's cells back, as row.cpp does after a row: the lane's are those in the mask from x
/// on.
template <int N, typename T, std::size_t S>
__device__ void hold_spheres(const Work<T, S>& work, const halocline::Box& of_warp, std::int64_t x, std::int64_t y,
                             unsigned written) {
  for (const Sphere& sphere : work.spheres) {
    if (!reaches(sphere, of_warp.lo, of_warp.hi)) continue;
    for (std::int64_t z = of_warp.lo.z; z < of_warp.hi.z; ++z) {
      for (int i = 0; i < N; ++i) {
        if ((written >> i & 1u) != 0 && holds(sphere, x + i, y, z))
          work.target(x + i, y, z) = static_cast<T>(sphere.value);
      }
    }
  }
}

template <typename T>
__device__ std::int64_t bytes_between(const T& from, const T& to) {
  return reinterpret_cast<const char*>(&to) - reinterpret_cast<const char*>(&from);
}

/// A warp's row of 32 N cells, from plane z0 to before z1. x: of the lane's first cell, a whole number of groups from
/// the first owned cell. The whole warp calls it.
template <typename T, int N, std::size_t S>
__device__ void march_rows(const Work<T, S>& work, const halocline::Box& box, std::int64_t x, std::int64_t y,
                           std::int64_t z0, std::int64_t z1, int lane) {
  const unsigned written = mask_within<N>(x, box.lo.x, box.hi.x);
  const unsigned read = mask_within<N>(x, box.lo.x - 1, box.hi.x + 1);
  const unsigned beside = written != 0 ? read : 0;
  // The neighbours in x that no lane of the warp has.
  const bool first = lane == 0 && (written & 1u) != 0;
  const bool last = lane == lanes - 1 && (written >> (N - 1) & 1u) != 0;

  const auto& view = work.source;
  const std::int64_t pitch_y = bytes_between(view(0, 0, 0), view(0, 1, 0));
  const std::int64_t pitch_z = bytes_between(view(0, 0, 0), view(0, 0, 1));
  const std::int64_t target_pitch_z = bytes_between(work.target(0, 0, 0), work.target(0, 0, 1));
  const char* at = reinterpret_cast<const char*>(&view(x, y, z0));
  char* to = reinterpret_cast<char*>(&work.target(x, y, z0));
  const auto row = [](const char* address) { return reinterpret_cast<const T*>(address); };

  Cells<T, N> below = load<T, N>(row(at - pitch_z), beside);
  Cells<T, N> centre = load<T, N>(row(at), read);
  prefetch(at + 2 * pitch_z, beside != 0 && z0 + 1 < z1);
#pragma unroll 1
  for (int left_over = static_cast<int>(z1 - z0); left_over > 0; --left_over) {
    const Cells<T, N> above = load<T, N>(row(at + pitch_z), left_over > 1 ? read : beside);
    prefetch(at + (1 + planes_ahead) * pitch_z, beside != 0 && left_over > planes_ahead);
    const Cells<T, N> below_y = load<T, N>(row(at - pitch_y), beside);
    const Cells<T, N> above_y = load<T, N>(row(at + pitch_y), beside);
    T left = __shfl_up_sync(0xffffffffu, centre.v[N - 1], 1);
    T right = __shfl_down_sync(0xffffffffu, centre.v[0], 1);
    if (first) left = row(at)[-1];
    if (last) right = row(at)[N];
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] =
          average(i == 0 ? left : centre.v[i == 0 ? 0 : i - 1], i == N - 1 ? right : centre.v[i == N - 1 ? i : i + 1],
                  below_y.v[i], above_y.v[i], below.v[i], above.v[i], centre.v[i]);
    }
    store<T, N>(reinterpret_cast<T*>(to), result, written);
    below = centre;
    centre = above;
    at += pitch_z;
    to += target_pitch_z;
  }
  const std::int64_t tile = x - std::int64_t{lane} * N;
  hold_spheres<N>(work, {{tile, y, z0}, {tile + lanes * N, y + 1, z1}}, x, y, written);
}

/// The same for a warp whose lanes lie along y, for each column of a box that is thin in x.
template <typename T, std::size_t S>
__device__ void march_columns(const Work<T, S>& work, const halocline::Box& box, std::int64_t y, std::int64_t z0,
                              std::int64_t z1, int lane) {
  const bool written = y < box.hi.y;
  const bool read = y < box.hi.y + 1;
  const auto& view = work.source;
  for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) {
    T below = written ? view(x, y, z0 - 1) : T(0);
    T centre = read ? view(x, y, z0) : T(0);
#pragma unroll 4
    for (std::int64_t z = z0; z < z1; ++z) {
      const bool wanted = z + 1 < z1 ? read : written;
      const T above = wanted ? view(x, y, z + 1) : T(0);
      T below_y = __shfl_up_sync(0xffffffffu, centre, 1);
      T above_y = __shfl_down_sync(0xffffffffu, centre, 1);
      if (written) {
        if (lane == 0) below_y = view(x, y - 1, z);
        if (lane == lanes - 1) above_y = view(x, y + 1, z);
        work.target(x, y, z) = average(view(x - 1, y, z), view(x + 1, y, z), below_y, above_y, below, above, centre);
      }
      below = centre;
      centre = above;
    }
    hold_spheres<1>(work, {{x, y - lane, z0}, {x + 1, y - lane + lanes, z1}}, x, y, written ? 1u : 0u);
  }
}

/// N: cells of a group; N times the size of a cell is what all addresses and strides of both arrays are multiples of.
template <typename T, int N, std::size_t S>
__global__ void __launch_bounds__(lanes* warps, resident_blocks) update(const __grid_constant__ Work<T, S> work) {
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
  const std::int64_t z0 =
      box.lo.z + (std::int64_t{tile_z} * (warps / piece.warps_y) + warp / piece.warps_y) * piece.planes;
  const std::int64_t z1 = z0 + piece.planes < box.hi.z ? z0 + piece.planes : box.hi.z;
  const std::int64_t row = std::int64_t{tile_y} * piece.warps_y + warp % piece.warps_y;
  if (z0 >= box.hi.z) return;  // whole warps leave
  if (piece.thin) {
    march_columns(work, box, box.lo.y + row * lanes + lane, z0, z1, lane);
    return;
  }
  const std::int64_t y = box.lo.y + row;
  if (y >= box.hi.y) return;
  // Boxes may begin below the first owned cell, from where groups are counted: a shift rounds down there, too.
  static_assert(N == 1 || N == 2 || N == 4);
  const std::int64_t first = work.source.owned().lo.x;
  const std::int64_t group = ((box.lo.x - first) >> (N / 2)) + std::int64_t{tile_x} * lanes + lane;
  march_rows<T, N>(work, box, first + group * N, y, z0, z1, lane);
}

}  // namespace jacobi3d::cuda

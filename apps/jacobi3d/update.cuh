#pragma once

#include <cstdint>
#include <utility>

#include "common/cells.cuh"
#include "halocline/core/box.hpp"
#include "halocline/domain/view.hpp"
#include "jacobi3d/problem.hpp"

// update_box() on a GPU, bit for bit: for up to six boxes in one launch.
//
// A warp takes a row of groups of 16 bytes (or of single cells, where rows are not aligned to that), and marches in z
// through a few planes. Each of them comes from memory once, although several warps read it: neighbours in y are rows of
// warps of the same block, and come out of the L1 cache; planes that two marches need, out of the L2 cache, as blocks go
// through the box in the order of memory and short marches keep those that run at the same time close together. Longer
// marches drift apart, and what they share has left the cache before the last of them needs it. Neighbours in x are exchanged
// within the warp. Boxes that are thin in x (the sides of a subdomain) are turned: the warp's lanes lie along y.
//
// Plain loads throughout: halos were written by other devices, which non-coherent loads may not see.
namespace jacobi3d::cuda {

using namespace apps::cuda;

inline constexpr int warps = 16;
/// Blocks that a multiprocessor has room for: what registers are limited by.
inline constexpr int resident_blocks = 4;

/// Where a warp's lanes find the cells beside theirs that no lane has, in cells from their own first one.
struct Ends {
  int left;   ///< of the first lane
  int right;  ///< of the last lane
};

/// A box of the launch and how it is cut: a block is `warps` warps, 1 << warps_y_log2 of them side by side in y, the others
/// behind each other in z, each marching through `planes` planes.
template <typename T>
struct Piece {
  halocline::Box box;
  bool thin = false;    ///< lanes along y, not x
  int first_block = 0;  ///< its blocks are those up to the next piece's
  dim3 tiles;           ///< blocks in x, y, z
  int warps_y_log2 = 0;
  int planes = 1;
  int past = 0;     ///< cells of its first group that lie before the box
  int columns = 0;  ///< blocks in x
  Ends ends;        ///< of the row: of its first warp, and of its last one where that has all of its cells
  // Rows and planes in which spheres are, as the box counts them: the others of a box are spared the question.
  int sphere_rows[2] = {};
  int sphere_planes[2] = {};
  // The first cell of the first group, in the box's first row.
  const T* source = nullptr;
  T* target = nullptr;
};

/// Bytes from a row, or plane, to the next.
struct Pitch {
  std::int64_t y = 0;
  std::int64_t z = 0;
};

/// What a launch works on: the kernel's parameter. Spheres: 2, or more for boxes beyond the domain's edge. Boxes: 1, whose
/// blocks lie in the grid as they do in the box, or up to 6, whose blocks come one after another.
template <typename T, std::size_t Spheres, int Boxes>
struct Work {
  halocline::View<const T> source;
  halocline::View<T> target;
  Pitch source_pitch;
  Pitch target_pitch;
  /// Cells of a row that has no halo, so that what lies beyond one end of it is at the other; 0 where there are halos.
  int around = 0;
  Sphere spheres[Spheres];  ///< the later one prevails
  Piece<T> pieces[Boxes];
  int count = 0;
};

__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }

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

/// Which of a lane's N cells are there.
struct Masks {
  unsigned written = 0;
  unsigned read = 0;    ///< of the row itself: those beside what is written, too
  unsigned beside = 0;  ///< of the rows around it
  unsigned first = 0;   ///< of the row itself: the first one's place beyond the end, in rows without a halo
};

/// A lane's cells of a warp's row. around: as in Work.
template <typename T, int N, bool Whole>
__device__ Cells<T, N> load_row(const T* at, unsigned read, unsigned first, int around) {
  Cells<T, N> cells = load<T, N>(at, read);
  if (!Whole && first != 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if ((first >> i & 1u) != 0) cells.v[i] = at[i - around];
    }
  }
  return cells;
}

/// A warp's row of 32 N cells in so many planes. at, to: of the lane's first cell in the first of them. Whole: the warp
/// has all cells of its row; otherwise masks say which, and around is as in Work. The whole warp calls it.
template <typename T, int N, bool Whole>
__device__ void march(const T* at, T* to, const Pitch& pitch, const Pitch& target_pitch, int planes, const Ends& ends,
                      int lane, Masks masks = {}, int around = 0) {
  if (Whole) masks = {all_cells<N>, all_cells<N>, all_cells<N>, 0};
  // The neighbours in x that no lane of the warp has.
  const bool first = lane == 0 && (masks.written & 1u) != 0;
  const bool last = lane == lanes - 1 && (masks.written >> (N - 1) & 1u) != 0;
  Cells<T, N> below = load<T, N>(shifted(at, -pitch.z), masks.beside);
  Cells<T, N> centre = load_row<T, N, Whole>(at, masks.read, masks.first, around);
#pragma unroll 1
  for (int left_over = planes; left_over > 0; --left_over) {
    const Cells<T, N> above = load_row<T, N, Whole>(shifted(at, pitch.z), left_over > 1 ? masks.read : masks.beside,
                                                    left_over > 1 ? masks.first : 0, around);
    const Cells<T, N> below_y = load<T, N>(shifted(at, -pitch.y), masks.beside);
    const Cells<T, N> above_y = load<T, N>(shifted(at, pitch.y), masks.beside);
    T left = __shfl_up_sync(0xffffffffu, centre.v[N - 1], 1);
    T right = __shfl_down_sync(0xffffffffu, centre.v[0], 1);
    if (first) left = at[ends.left];
    if (last) right = at[ends.right];
    Cells<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      result.v[i] =
          average(i == 0 ? left : centre.v[i == 0 ? 0 : i - 1], i == N - 1 ? right : centre.v[i == N - 1 ? i : i + 1],
                  below_y.v[i], above_y.v[i], below.v[i], above.v[i], centre.v[i]);
    }
    store<T, N>(to, result, masks.written);
    below = centre;
    centre = above;
    at = shifted(at, pitch.z);
    to = shifted(to, target_pitch.z);
  }
}

/// The addresses of a lane's first cell. x: from the first group's first cell; row and plane as the box counts them.
template <typename T, std::size_t S, int B>
__device__ std::pair<const T*, T*> address_of(const Work<T, S, B>& work, const Piece<T>& piece, int x, int row,
                                              int plane) {
  return {shifted(piece.source + x, row * work.source_pitch.y + plane * work.source_pitch.z),
          shifted(piece.target + x, row * work.target_pitch.y + plane * work.target_pitch.z)};
}

/// Puts the spheres' cells of a warp's cells back, as row.cpp does after a row: the lane's are those in the mask from
/// (x, y) on, in the warp's planes. The whole warp calls it.
template <int N, typename T, std::size_t S, int B>
__device__ void hold_spheres(const Work<T, S, B>& work, const halocline::Box& of_warp, std::int64_t x, std::int64_t y,
                             unsigned written) {
  // Most warps hold none: their lanes find that out together, each with some of the spheres.
  bool reached = false;
  for (unsigned s = threadIdx.x % lanes; s < S; s += lanes) {
    reached = reached || reaches(work.spheres[s], of_warp.lo, of_warp.hi);
  }
  if (!__any_sync(0xffffffffu, reached)) return;
  for (const Sphere& sphere : work.spheres) {
    for (std::int64_t z = of_warp.lo.z; z < of_warp.hi.z; ++z) {
      for (int i = 0; i < N; ++i) {
        if ((written >> i & 1u) != 0 && holds(sphere, x + i, y, z))
          work.target(x + i, y, z) = static_cast<T>(sphere.value);
      }
    }
  }
}

/// The same for a warp's row in so many planes; x, row and plane as for address_of().
template <int N, typename T, std::size_t S, int B>
__device__ __noinline__ void hold_spheres(const Work<T, S, B>& work, const Piece<T>& piece, int x, int row, int plane,
                                          int planes, unsigned written) {
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const halocline::Vec3 at = {piece.box.lo.x - piece.past + x, piece.box.lo.y + row, piece.box.lo.z + plane};
  const std::int64_t first = at.x - lane * N;
  hold_spheres<N>(work, {{first, at.y, at.z}, {first + lanes * N, at.y + 1, at.z + planes}}, at.x, at.y, written);
}

/// A warp's row, which may end or not be there. x: of the lane's first cell, as for address_of().
template <typename T, int N, std::size_t S, int B>
__device__ __noinline__ void march_any(const Work<T, S, B>& work, const Piece<T>& piece, int x, int row, int plane,
                                       int lane) {
  const halocline::Box& box = piece.box;
  const int planes = min(piece.planes, static_cast<int>(box.hi.z - box.lo.z) - plane);
  if (row >= static_cast<int>(box.hi.y - box.lo.y) || planes <= 0) return;  // whole warps leave
  const int from = piece.past;
  const int to = from + static_cast<int>(box.hi.x - box.lo.x);
  const int halo = work.around == 0 ? 1 : 0;
  Masks masks;
  masks.written = mask_within<N>(x, from, to);
  masks.read = mask_within<N>(x, from - halo, to + halo);
  masks.beside = masks.written != 0 ? masks.read : 0;
  masks.first = halo == 1 ? 0 : mask_within<N>(x, to, to + 1);
  const Ends ends = {halo == 1 || x != 0 ? -1 : work.around - 1, halo == 1 || x + N != to ? N : N - work.around};
  const auto [source, target] = address_of(work, piece, x, row, plane);
  march<T, N, false>(source, target, work.source_pitch, work.target_pitch, planes, ends, lane, masks, work.around);
  hold_spheres<N>(work, piece, x, row, plane, planes, masks.written);
}

/// The same for a warp whose lanes lie along y, for each column of a box that is thin in x. row: the lane's own.
template <typename T, std::size_t S, int B>
__device__ __noinline__ void march_columns(const Work<T, S, B>& work, const Piece<T>& piece, int row, int plane,
                                           int lane) {
  const halocline::Box& box = piece.box;
  const std::int64_t y = box.lo.y + row;
  const std::int64_t z0 = box.lo.z + plane;
  const std::int64_t z1 = z0 + piece.planes < box.hi.z ? z0 + piece.planes : box.hi.z;
  if (z0 >= box.hi.z) return;  // whole warps leave
  const bool written = y < box.hi.y;
  const bool read = y < box.hi.y + 1;
  const auto& view = work.source;
  for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) {
    const std::int64_t left = work.around != 0 && x == box.lo.x ? box.hi.x - 1 : x - 1;
    const std::int64_t right = work.around != 0 && x == box.hi.x - 1 ? box.lo.x : x + 1;
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
        work.target(x, y, z) = average(view(left, y, z), view(right, y, z), below_y, above_y, below, above, centre);
      }
      below = centre;
      centre = above;
    }
    hold_spheres<1>(work, {{x, y - lane, z0}, {x + 1, y - lane + lanes, z1}}, x, y, written ? 1u : 0u);
  }
}

/// A block of a launch: the piece that it belongs to, and where it lies there.
struct Place {
  int piece = 0;
  int x = 0;
  int y = 0;
  int z = 0;
};

/// Without a division: a march is short, so what comes before it counts.
template <typename T, std::size_t S>
__device__ Place place_of(const Work<T, S, 1>&) {
  return {0, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
}

template <typename T, std::size_t S, int B>
__device__ Place place_of(const Work<T, S, B>& work) {
  int p = 0;
  while (p + 1 < work.count && static_cast<int>(blockIdx.x) >= work.pieces[p + 1].first_block) ++p;
  const Piece<T>& piece = work.pieces[p];
  const int block = static_cast<int>(blockIdx.x) - piece.first_block;
  const int tiles_x = static_cast<int>(piece.tiles.x);
  const int tiles_y = static_cast<int>(piece.tiles.y);
  return {p, block % tiles_x, block / tiles_x % tiles_y, block / tiles_x / tiles_y};
}

/// What is the same for a whole block, as the compiler can tell, too: it takes detours where it cannot.
struct Kind {
  bool whole = false;  ///< all of its rows are there, with all of their cells: nearly all blocks
  bool held = false;   ///< there may be spheres in it
};

template <int N, typename T>
__device__ Kind kind_of(const Piece<T>& piece, const Place& place) {
  const halocline::Box& box = piece.box;
  const int x = place.x * lanes * N;
  const int rows = 1 << piece.warps_y_log2;
  const int row = place.y << piece.warps_y_log2;
  const int planes = (warps >> piece.warps_y_log2) * piece.planes;
  const int plane = place.z * planes;
  return {x >= piece.past && x + lanes * N <= piece.past + static_cast<int>(box.hi.x - box.lo.x) &&
              row + rows <= static_cast<int>(box.hi.y - box.lo.y) &&
              plane + planes <= static_cast<int>(box.hi.z - box.lo.z),
          row < piece.sphere_rows[1] && row + rows > piece.sphere_rows[0] && plane < piece.sphere_planes[1] &&
              plane + planes > piece.sphere_planes[0]};
}

/// N: cells of a group; N times the size of a cell is what all addresses and strides of both arrays are multiples of.
template <typename T, int N, std::size_t S, int B>
__global__ void __launch_bounds__(lanes* warps, resident_blocks) update(const __grid_constant__ Work<T, S, B> work) {
  const Place place = place_of(work);
  const Piece<T>& piece = work.pieces[place.piece];
  const Kind kind = kind_of<N>(piece, place);
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const int warp = static_cast<int>(threadIdx.x / lanes);
  const int x = (place.x * lanes + lane) * N;
  const int row = (place.y << piece.warps_y_log2) + (warp & ((1 << piece.warps_y_log2) - 1));
  const int plane = (place.z * (warps >> piece.warps_y_log2) + (warp >> piece.warps_y_log2)) * piece.planes;
  // What is rare is called, so that it takes no registers of what is not.
  if (piece.thin) {
    march_columns(work, piece, row * lanes + lane, plane, lane);
  } else if (kind.whole) {
    const auto [source, target] = address_of(work, piece, x, row, plane);
    const Ends ends = {place.x == 0 ? piece.ends.left : -1, place.x + 1 == piece.columns ? piece.ends.right : N};
    march<T, N, true>(source, target, work.source_pitch, work.target_pitch, piece.planes, ends, lane);
    if (kind.held) hold_spheres<N>(work, piece, x, row, plane, piece.planes, all_cells<N>);
  } else {
    march_any<T, N>(work, piece, x, row, plane, lane);
  }
}

}  // namespace jacobi3d::cuda

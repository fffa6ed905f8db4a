// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/boxes.cuh"

// What the blocks of a launch do. The kernel's parameter, `Work`, is Boxes and
//   stencil                           what cells become: of march.cuh's kind
//   turns                             whether boxes may be turned: then the stencil is a Star
//   wraps                             whether rows may have no halo, and wrap around
//   holds                             whether there may be cells that do not become that. If so:
//   may_hold(piece, spot, rows, planes)        whether those may be in a block; piece: its number
//   hold<N>(piece, spot, planes, written)      stores them again, in the march of a warp of which spot is the lane's
//   hold_turned(piece, spot, planes, written)  the same where lanes lie along y, each with one cell
//
// A warp's neighbours in y are warps of the same block, and what both read comes out of the L1 cache; planes that two marches
// need come out of the L2 cache, as blocks go through a box in the order of memory, and short marches keep those that run at
// the same time close together. Longer marches drift apart, and what they share has left the cache before the last of them
// needs it. Boxes that are thin in x (the sides of a subdomain) are turned.
//
// Plain loads throughout: halos were written by other devices, which non-coherent loads may not see.
namespace apps::cuda {

/// A warp's march, from the lane's group on.
template <typename Stencil, typename Work, typename T, int N, Part P>
__device__ void march_warp(const Work& work, const Stencil& stencil, const Piece<T>& piece, Spot spot,
                           const WarpRow<T, N, P>& row, int planes) {
  const auto store = [&](int plane, T* to, const Cells<T, N>& group) {
    work.store(piece, {spot.x, spot.row, spot.plane + plane}, to, group, row.masks.written, Stencil::turned);
  };
  march(stencil, row, work.from(piece, spot), work.to(piece, spot), work.target_pitch, planes, store);
}

/// Planes of a piece that are a march's.
template <typename T>
__device__ int planes_of(const Piece<T>& piece, int plane) {
  return min(piece.planes, static_cast<int>(piece.box.hi.z - piece.box.lo.z) - plane);
}

/// A warp's row, which may end or not be there. P: masked, or wrapped.
template <int N, Part P, typename Work, typename T>
__device__ __noinline__ void march_any(const Work& work, const Piece<T>& piece, Spot spot, int lane) {
  constexpr bool wrapped = P == Part::wrapped;
  constexpr int halo = wrapped ? 0 : 1;
  const halocline::Box& box = piece.box;
  const int planes = planes_of(piece, spot.plane);
  if (spot.row >= static_cast<int>(box.hi.y - box.lo.y) || planes <= 0) return;  // whole warps leave
  const int from = piece.past;
  const int to = from + static_cast<int>(box.hi.x - box.lo.x);
  Masks masks;
  masks.written = mask_within<N>(spot.x, from, to);
  masks.read = mask_within<N>(spot.x, from - halo, to + halo);
  masks.beside = masks.written != 0 ? masks.read : 0;
  if (wrapped) masks.first = mask_within<N>(spot.x, to, to + 1);
  const Ends ends = {wrapped && spot.x == 0 ? work.around - 1 : -1, wrapped && spot.x + N == to ? N - work.around : N};
  const WarpRow<T, N, P> row(work.source_pitch, ends, lane, masks, work.around);
  march_warp(work, work.stencil, piece, spot, row, planes);
  if constexpr (Work::holds) work.template hold<N>(piece, spot, planes, masks.written);
}

/// The same for a warp whose lanes lie along y, for each column of the box.
template <typename Work, typename T>
__device__ __noinline__ void march_columns(const Work& work, const Piece<T>& piece, Spot spot, int lane) {
  const halocline::Box& box = piece.box;
  const int planes = planes_of(piece, spot.plane);
  if (planes <= 0) return;  // whole warps leave
  const int rows = static_cast<int>(box.hi.y - box.lo.y);
  const int columns = static_cast<int>(box.hi.x - box.lo.x);
  const unsigned written = spot.row < rows ? 1 : 0;
  const unsigned read = spot.row < rows + 1 ? 1 : 0;
  const int pitch_y = static_cast<int>(work.source_pitch.y / static_cast<int>(sizeof(T)));
  const Ends ends = {-pitch_y, pitch_y};
  const WarpRow<T, 1, Part::masked> row(work.source_pitch, ends, lane, {written, read, written, 0});
  for (; spot.x < columns; ++spot.x) {
    const bool wraps = work.around != 0;
    const TurnedStar stencil{work.stencil.combine, wraps && spot.x == 0 ? work.around - 1 : -1,
                             wraps && spot.x + 1 == columns ? 1 - work.around : 1};
    march_warp(work, stencil, piece, spot, row, planes);
    if constexpr (Work::holds) work.hold_turned(piece, spot, planes, written);
  }
}

/// Where this lane of the block marches from.
template <int N, typename T>
__device__ Spot spot_of(const Piece<T>& piece, const Place& place) {
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const int warp = static_cast<int>(threadIdx.x / lanes);
  const int rows = 1 << piece.warps_y_log2;
  return {(place.x * lanes + lane) * N, (place.y << piece.warps_y_log2) + (warp & (rows - 1)),
          (place.z * piece.warps_z + (warp >> piece.warps_y_log2)) * piece.planes};
}

// Behind the march of a block of whole rows. They find out again where they are, so that a march keeps nothing for them.

template <int N, typename Work>
__device__ __noinline__ void hold_again(const Work& work) {
  const Place place = place_of(work);
  const auto& piece = work.pieces[place.piece];
  work.template hold<N>(piece, spot_of<N>(piece, place), piece.planes, all_cells<N>);
}

/// What a block does. N: cells of a group; N times the size of a cell is what all addresses and strides of both arrays are
/// multiples of.
template <int N, typename Work>
__device__ void march_block(const Work& work) {
  using T = typename Work::Cell;
  const Place place = place_of(work);
  const Piece<T>& piece = work.pieces[place.piece];
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const Spot spot = spot_of<N>(piece, place);
  // The same for a whole block, as the compiler can tell, too: it takes detours where it cannot. What is rare is called, so
  // that it takes no registers of what is not.
  if (place.x >= piece.whole_from && place.x < piece.whole_to[0] && place.y < piece.whole_to[1] &&
      place.z < piece.whole_to[2]) {
    Ends ends = {-1, N};
    if (Work::wraps && place.x == 0) ends.left = piece.ends.left;
    if (Work::wraps && place.x + 1 == static_cast<int>(piece.tiles.x)) ends.right = piece.ends.right;
    march_warp(work, work.stencil, piece, spot, WarpRow<T, N, Part::whole>(work.source_pitch, ends, lane),
               piece.planes);
    if constexpr (Work::holds) {
      const int rows = 1 << piece.warps_y_log2;
      const int planes = piece.warps_z * piece.planes;
      const Spot block = {place.x * lanes * N, place.y << piece.warps_y_log2, place.z * planes};
      if (work.may_hold(place.piece, block, rows, planes)) hold_again<N>(work);
    }
  } else if (Work::turns && piece.turned) {
    if constexpr (Work::turns) march_columns(work, piece, {0, spot.row * lanes + lane, spot.plane}, lane);
  } else if (Work::wraps && work.around != 0) {
    if constexpr (Work::wraps) march_any<N, Part::wrapped>(work, piece, spot, lane);
  } else {
    march_any<N, Part::masked>(work, piece, spot, lane);
  }
}

}  // namespace apps::cuda

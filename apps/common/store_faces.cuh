// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "common/boxes.cuh"
#include "common/launch.cuh"
#include "common/outlets.hpp"

// What a launch stores a second time: the rows and planes at the ends of its box, in neighbours' halos.
namespace apps::cuda {

/// As in_groups() of all outlets that there are.
template <typename T>
bool in_groups(const RowOutlets<T>& outlets) {
  return std::ranges::all_of(outlets, [](const auto& outlet) { return outlet.data() == nullptr || in_groups(outlet); });
}

/// A launch that does not.
struct NoFaces {
  static constexpr bool stored = false;
};

/// The outlets of the one box of a launch, which is a subdomain's owned cells.
template <typename T>
class StoredFaces {
 public:
  static constexpr bool stored = true;

  /// Null outlets are left out.
  void set(const halocline::Box& box, const RowOutlets<T>& outlets) {
    for (std::size_t i = 0; i < outlets.size(); ++i) {
      if (outlets[i].data() == nullptr) continue;
      any_ = true;
      pitch_[i] = {outlets[i].stride_bytes()[1], outlets[i].stride_bytes()[2]};
      at_[i] = &outlets[i](box.lo);  // which need not be one of its cells
    }
  }

  /// Whether a block of this size has cells of them.
  __device__ bool in_block(const Place& place, const dim3& tiles) const {
    return any_ && (place.y == 0 || place.y + 1 == static_cast<int>(tiles.y) || place.z == 0 ||
                    place.z + 1 == static_cast<int>(tiles.z));
  }

  /// Behind the march of a warp of which spot is the lane's: those cells of its groups that the mask has. Reads what this lane
  /// has just stored. A march is short, and few of them are at an end: a pass of its own keeps the march as it is.
  template <int N, typename Boxes>
  __device__ void store(const Boxes& boxes, const Piece<T>& piece, Spot spot, int planes, unsigned written) const {
    const int last_row = static_cast<int>(piece.box.hi.y - piece.box.lo.y) - 1;
    const int last_plane = static_cast<int>(piece.box.hi.z - piece.box.lo.z) - 1;
#pragma unroll 1
    for (int end = spot.plane + planes; spot.plane < end; ++spot.plane) {
      const bool faces[faces_of_rows] = {spot.row == 0, spot.row == last_row, spot.plane == 0,
                                         spot.plane == last_plane};
      if (!(faces[0] || faces[1] || faces[2] || faces[3])) continue;
      const Cells<T, N> group = load<T, N>(boxes.to(piece, spot), written);
#pragma unroll
      for (std::size_t i = 0; i < faces_of_rows; ++i) {
        if (!faces[i] || at_[i] == nullptr) continue;
        cuda::store<T, N>(shifted(at_[i] + spot.x - piece.past, spot.row * pitch_[i].y + spot.plane * pitch_[i].z),
                          group, written);
      }
    }
  }

 private:
  T* at_[faces_of_rows] = {};  ///< the box's first cell, by row_faces()
  Pitch pitch_[faces_of_rows] = {};
  bool any_ = false;
};

}  // namespace apps::cuda

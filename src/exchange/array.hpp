// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halocline/box.hpp"
#include "halocline/view.hpp"

namespace halocline::exchange {

/// One array of one field of one local subdomain, halo included. Cell p (global coordinates) of component c is at
/// origin + (p - owned.lo) . stride_bytes + c * component_stride_bytes, owned being Geometry::owned(field, subdomain), unless it is in a
/// halo in x that is stored apart.
struct Array {
  std::byte* origin = nullptr;  ///< the first owned cell
  std::array<std::int64_t, 3> stride_bytes{};
  std::int64_t component_stride_bytes = 0;
  /// Padding below and above each row, next to the halo: bytes of no cell, which an exchange may overwrite.
  std::array<std::int64_t, 2> spare_bytes{};
  /// The halos below and above in x where they are stored apart, from their cells next to the first owned row; else without an address.
  std::array<StridedCells, 2> x_halos{};

  /// The same memory at another address.
  void move_to(std::byte* to);
  /// Cell p, with the strides to the others of the rows, or of its halo in x.
  [[nodiscard]] StridedCells cells_at(const Vec3& p, const Box& owned) const;
  /// As x_halos, also where they are not stored apart.
  [[nodiscard]] std::array<StridedCells, 2> both_x_halos(const Box& owned) const;
};

}  // namespace halocline::exchange

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "halocline/domain.hpp"
#include "mhd/parameters.hpp"

namespace mhd {

/// The eight fields of a domain, two buffers each, in the order of FieldIndex.
template <typename T>
using State = std::array<halocline::Field<T>, field_count>;

/// Adds them. Before Domain::realize(). wire: as in FieldDescriptor.
template <typename T>
[[nodiscard]] State<T> add_fields(halocline::Domain& domain, std::optional<halocline::Element> wire = {}) {
  State<T> state{};
  for (std::size_t i = 0; i < field_count; ++i) {
    state[i] = domain.add_field<T>(std::string(field_names[i]), {.buffers = 2, .wire = wire});
  }
  return state;
}

/// A subdomain's arrays as kernel arguments: all eight have the same strides, and x has no gaps.
template <typename T>
struct Arrays {
  const T* now[field_count];  ///< the first owned cell of the current buffers
  T* next[field_count];       ///< and of those that come next
  halocline::Vec3 origin;     ///< its coordinates
  std::int64_t pitch_y = 0;   ///< cells from a row to the next
  std::int64_t pitch_z = 0;
  /// Cells of a row that has no halo, so that what lies beyond one end of it is at the other; 0 where there are halos.
  std::int64_t around = 0;

  [[nodiscard]] HALOCLINE_HOST_DEVICE std::int64_t offset(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (x - origin.x) + (y - origin.y) * pitch_y + (z - origin.z) * pitch_z;
  }
};

/// Throws InvalidArgument unless the arrays have the same strides.
template <typename T>
[[nodiscard]] Arrays<T> arrays_of(const halocline::Subdomain& subdomain, const State<T>& state);

/// What a cell sees of its surroundings in memory. Offset: an integer that its arrays' offsets fit into.
template <typename T, typename Offset = std::int64_t>
struct Surroundings {
  const T* const* fields;
  Offset at;
  Offset pitch_y;
  Offset pitch_z;
  Offset around;  ///< as in Arrays
  Offset before;  ///< cells of the row before this one
  Offset behind;  ///< and behind it; with a halo as many as are ever asked for, both

  /// Of the cell at an offset, so many cells from the first owned one of its row.
  HALOCLINE_HOST_DEVICE Surroundings(const Arrays<T>& arrays, Offset offset, Offset x)
      : fields(arrays.now),
        at(offset),
        pitch_y(static_cast<Offset>(arrays.pitch_y)),
        pitch_z(static_cast<Offset>(arrays.pitch_z)),
        around(static_cast<Offset>(arrays.around)),
        before(around == 0 ? halo_or_more : x),
        behind(around == 0 ? halo_or_more : around - 1 - x) {}

  HALOCLINE_HOST_DEVICE T operator()(int field, int dx, int dy, int dz) const {
    const Offset x = -dx > before ? dx + around : (dx > behind ? dx - around : dx);
    return fields[field][at + x + dy * pitch_y + dz * pitch_z];
  }

 private:
  static constexpr Offset halo_or_more = 1024;
};

}  // namespace mhd

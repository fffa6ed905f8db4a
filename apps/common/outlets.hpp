// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace apps {

/// The faces that a kernel itself stores in neighbours' halos: the faces in y and z, which are whole rows. Thin faces
/// in x are better exchanged.
inline constexpr std::size_t faces_of_rows = 4;
[[nodiscard]] inline const std::array<halocline::Direction, faces_of_rows>& row_faces() {
  using halocline::Direction;
  static const std::array<Direction, faces_of_rows> faces{Direction::of(0, -1, 0), Direction::of(0, 1, 0),
                                                          Direction::of(0, 0, -1), Direction::of(0, 0, 1)};
  return faces;
}
[[nodiscard]] inline halocline::Directions row_face_directions() {
  halocline::Directions directions;
  for (const halocline::Direction face : row_faces()) directions.set(static_cast<std::size_t>(face.index()));
  return directions;
}

/// Where an update stores rows a second time, in the order of row_faces(); null where there is no outlet.
template <typename T>
using RowOutlets = std::array<halocline::View<T>, faces_of_rows>;

/// Those of a subdomain, of the array that comes next after `ahead` swaps.
template <typename T>
[[nodiscard]] RowOutlets<T> row_outlets(const halocline::Subdomain& subdomain, halocline::Field<T> field, int ahead) {
  RowOutlets<T> outlets;
  for (std::size_t i = 0; i < outlets.size(); ++i) {
    outlets[i] = internals(subdomain).outlet(subdomain, field, row_faces()[i], ahead).value_or(halocline::View<T>());
  }
  return outlets;
}

/// Stores the rows of a box that have an outlet, from where they have just been computed.
template <typename T>
void store_rows(const halocline::Box& box, const halocline::View<T>& computed, const RowOutlets<T>& outlets) {
  for (const auto& outlet : outlets) {
    if (outlet.data() == nullptr) continue;
    for_each_cell(box.intersection(outlet.owned()), [&](const halocline::Vec3& p) { outlet(p) = computed(p); });
  }
}

}  // namespace apps

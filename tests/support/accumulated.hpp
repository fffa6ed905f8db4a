// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "halocline/domain.hpp"
#include "partition/halo.hpp"
#include "support/halo_values.hpp"

// The expected result of Domain::accumulate, cell by cell, from the geometry only.
namespace halocline::test {

/// An array of a subdomain in a step.
struct Filled {
  subdomain_id subdomain;
  field_id field;
  int step = 0;
  /// The value of a cell before, owned or halo.
  template <typename T>
  [[nodiscard]] T at(int component, const Vec3& p) const {
    return value_of<T>(field, component, p, step + 1000 * (1 + static_cast<int>(subdomain.value())));
  }
};

template <typename T>
void fill_all(const View<T>& view, const FieldDescriptor& field, const Filled& array) {
  for_each_cell(view.with_halo(), [&](const Vec3& p) {
    for (int c = 0; c < field.components; ++c) view(p, c) = array.at<T>(c, p);
  });
}

/// Faces, edges, corners.
inline std::vector<Direction> sides_in_order() {
  std::vector<Direction> sides(all_directions.begin(), all_directions.end());
  std::ranges::stable_sort(sides, {}, [](const Direction& d) { return d.order(); });
  return sides;
}

/// The value of an owned cell afterwards, combined with the values of its copies in the halos of neighbours.
template <typename T>
T accumulated(const partition::Geometry& geometry, const Filled& array, int component, const Vec3& p,
              const Transfer& moved, Combine combine) {
  static const std::vector<Direction> sides = sides_in_order();
  const FieldDescriptor& field = geometry.fields[array.field.index()];
  T value = array.at<T>(component, p);
  for (const Direction side : sides) {
    if (!moved.directions.test(static_cast<std::size_t>(side.opposite().index()))) continue;
    if (!arrives(field, component, side)) continue;
    const auto other = partition::neighbour(geometry, array.subdomain, side.opposite());
    if (!other) continue;
    const Vec3 there = p - other->shift;
    if (!geometry.halo(array.field, other->subdomain, side).contains(there)) continue;
    const T copy = Filled{other->subdomain, array.field, array.step}.at<T>(component, there);
    value = combine == Combine::add ? static_cast<T>(value + copy) : copy;
  }
  return value;
}

template <typename T>
void compare_accumulated(const partition::Geometry& geometry, const View<T>& view, const Filled& array,
                         const std::optional<Transfer>& moved, Combine combine, Findings& findings) {
  const FieldDescriptor& field = geometry.fields[array.field.index()];
  std::int64_t cells = 0;
  for_each_cell(view.with_halo(), [&](const Vec3& p) {
    for (int c = 0; c < field.components; ++c) {
      ++cells;
      const bool owned = view.owned().contains(p);
      const T expected = owned && moved ? accumulated<T>(geometry, array, c, p, *moved, combine) : array.at<T>(c, p);
      if (view(p, c) == expected) continue;
      findings.add(fmt::format("step {}: {} ({}, {}, {}) of component {} of field '{}' of subdomain {}", array.step,
                               owned ? "owned cell" : "halo cell", p.x, p.y, p.z, c, field.name,
                               array.subdomain.value()));
    }
  });
  findings.compared(cells);
}

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "halocline/field.hpp"

namespace halocline {
namespace {

/// The place of an axis among the indices; npos if it is not there.
std::size_t index_of(std::string_view axes, char axis) { return axes.find(axis); }

void check_axes(std::string_view axes, std::size_t rank) {
  bool valid = axes.size() == rank && (rank == 3 || index_of(axes, 'c') != axes.npos);
  for (const char axis : {'x', 'y', 'z'}) valid = valid && index_of(axes, axis) != axes.npos;
  if (valid) return;
  throw InvalidArgument(fmt::format(
      "axes is '{}' for an array of {} indices; allowed are x, y and z once each, with c for components if there are 4",
      printable(axes), rank));
}

}  // namespace

UserArray array_of(void* data, Element element, std::span<const std::int64_t> extents,
                   std::span<const std::int64_t> strides, std::string_view axes, const Vec3& halo_below,
                   const Vec3& halo_above) {
  if (extents.size() != strides.size() || (extents.size() != 3 && extents.size() != 4)) {
    throw InvalidArgument(fmt::format("an array has {} extents and {} strides; allowed are 3 or 4 of both",
                                      extents.size(), strides.size()));
  }
  check_axes(axes, extents.size());
  const std::int64_t bytes = bytes_of(element);
  UserArray array;
  array.data = data;
  array.halo_below = halo_below;
  array.halo_above = halo_above;
  array.components = 1;
  array.element = element;
  for (int dim = 0; dim < 3; ++dim) {
    const std::size_t index = index_of(axes, "xyz"[dim]);
    array.extent[dim] = extents[index];
    array.stride_bytes[static_cast<std::size_t>(dim)] = bytes * strides[index];
  }
  if (const std::size_t index = index_of(axes, 'c'); index != axes.npos) {
    array.components = static_cast<int>(extents[index]);
    array.component_stride_bytes = bytes * strides[index];
  }
  return array;
}

}  // namespace halocline

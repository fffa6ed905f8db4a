// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/view.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline {

void refuse_access(const ViewBounds& bounds, const Vec3& cell, int component, const Box& owned, const Box& with_halo) {
  const std::string at = fmt::format("({}, {}, {})", cell.x, cell.y, cell.z);
  const std::string what = bounds.subdomain < 0
                               ? std::string(bounds.field)
                               : fmt::format("field '{}' of subdomain {}", bounds.field, bounds.subdomain);
  if (component < 0 || component >= bounds.components) {
    throw InvalidArgument(
        fmt::format("component {} of {} was accessed; allowed are 0 to {}", component, what, bounds.components - 1));
  }
  if (with_halo.contains(cell)) {
    throw InvalidArgument(
        fmt::format("cell {} of {} was read; it is in a part of the halo that its stencil does not read, so that no "
                    "exchange fills it",
                    at, what));
  }
  throw InvalidArgument(fmt::format("cell {} of {} was accessed; allowed are {}: the owned cells {} and their halo", at,
                                    what, to_string(with_halo), to_string(owned)));
}

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "common/boundaries.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace apps {

void check_periodic(std::string_view program, const halocline::partition::Geometry& geometry) {
  for (int dim = 0; dim < 3; ++dim) {
    const bool open = geometry.boundaries[static_cast<std::size_t>(dim)] == halocline::Boundary::open;
    if (!open && (dim == 0 || !geometry.wraps(dim))) continue;
    throw halocline::InvalidArgument(fmt::format("{}: the boundary in {} is {}; allowed is {}", program, "xyz"[dim],
                                                 open ? "open" : "periodic_in_kernel",
                                                 dim == 0 ? "periodic or periodic_in_kernel" : "periodic"));
  }
}

}  // namespace apps

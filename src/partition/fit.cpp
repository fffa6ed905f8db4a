// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

bool any_fits(const Request& request, std::int64_t parts) {
  const std::vector<Vec3> grids = detail::factorisations(parts);
  return std::any_of(grids.begin(), grids.end(), [&](const Vec3& grid) { return detail::fits(request, grid); });
}

std::string crowd(const Request& request) {
  return fmt::format("{} node{} of {} device{}", request.nodes, request.nodes == 1 ? "" : "s", request.devices_per_node,
                     request.devices_per_node == 1 ? "" : "s");
}

}  // namespace

Vec3 detail::least_extent(const HaloWidth& halo, const Boundaries& boundaries, const Vec3& grid) {
  Vec3 least = Vec3::filled(1);
  for (int dim = 0; dim < 3; ++dim) {
    const bool read = grid[dim] > 1 || boundaries[static_cast<std::size_t>(dim)] == Boundary::periodic;
    if (read) least[dim] = std::max({least[dim], halo.lower()[dim], halo.upper()[dim]});
  }
  return least;
}

bool detail::fits(const Request& request, const Vec3& grid) {
  const Vec3 least = least_extent(request.halo, request.boundaries, grid);
  for (int dim = 0; dim < 3; ++dim) {
    if (request.extent[dim] / grid[dim] < least[dim]) return false;
  }
  return true;
}

void detail::refuse(const Request& request, const Grids* chosen, const Grids* alternative) {
  std::string text = fmt::format("domain extent is {} with halos of width {}, too small for {}",
                                 to_string(request.extent), to_string(request.halo), crowd(request));
  if (chosen != nullptr) {
    const Vec3 grid = chosen->total();
    const Vec3 least = least_extent(request.halo, request.boundaries, grid);
    Vec3 allowed;
    for (int dim = 0; dim < 3; ++dim) allowed[dim] = product_for_text(grid[dim], least[dim]);
    text += fmt::format(
        " in a grid of {}: a subdomain needs at least {} cells; allowed for this grid are extents "
        "of at least {}",
        to_string(grid), to_string(least), to_string(allowed));
    if (alternative != nullptr) {
      text += fmt::format("; method 'exact' finds a grid that fits, {}", to_string(alternative->total()));
    }
    throw InvalidArgument(text);
  }
  if (!fits(request, Vec3::filled(1))) {
    const Vec3 least = least_extent(request.halo, request.boundaries, Vec3::filled(1));
    throw InvalidArgument(text +
                          fmt::format("; allowed, even for one device, are extents of at least {}", to_string(least)));
  }
  Vec3 most;
  for (int dim = 0; dim < 3; ++dim) {
    const Vec3 least = least_extent(request.halo, request.boundaries, Vec3::filled(2));
    most[dim] = std::max<std::int64_t>(1, request.extent[dim] / least[dim]);
  }
  std::int64_t parts = std::min(request.nodes * request.devices_per_node - 1, most.volume());
  while (parts > 1 && !any_fits(request, parts)) --parts;
  throw InvalidArgument(text + fmt::format(": it holds at most {} subdomains in x, y, z; allowed are larger extents "
                                           "or fewer devices, {} in all would fit",
                                           to_string(most), parts));
}

}  // namespace halocline::partition

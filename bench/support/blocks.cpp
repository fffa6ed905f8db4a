// SPDX-License-Identifier: BSD-3-Clause
#include "support/blocks.hpp"

#include <fmt/core.h>

#include <cmath>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "support/program.hpp"

namespace halocline::bench {

Grids grids_for_blocks(std::int64_t nodes, std::int64_t devices_per_node, const std::string& asked) {
  Grids grids;
  grids.nodes = partition::exact_node_grid(Vec3::filled(std::int64_t{1} << 16), Stencil::box(1), nodes);
  if (!asked.empty()) {
    grids.devices = extent_from("--grid", asked);
    if (grids.devices.volume() != devices_per_node) {
      throw InvalidArgument(fmt::format("--grid is {}, which is {} devices; allowed is a grid of the {} of a node",
                                        asked, grids.devices.volume(), devices_per_node));
    }
    return grids;
  }
  grids.devices = {1, 1, devices_per_node};
  for (std::int64_t y = 1; y * y <= devices_per_node; ++y) {
    if (devices_per_node % y == 0) grids.devices = {1, y, devices_per_node / y};
  }
  return grids;
}

std::int64_t weak_edge(std::int64_t edge, std::int64_t devices) {
  return std::llround(static_cast<double>(edge) * std::cbrt(static_cast<double>(devices)));
}

std::int64_t strong_edge() {
  constexpr std::int64_t share = std::int64_t{1363} * 1363 * 1363 / 6;
  std::int64_t edge = 1;
  while ((edge + 1) * (edge + 1) * (edge + 1) <= share) ++edge;
  return edge;
}

}  // namespace halocline::bench

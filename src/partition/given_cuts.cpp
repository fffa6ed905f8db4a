// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

Vec3 grid_of(const Cuts& cuts) {
  Vec3 grid;
  for (int dim = 0; dim < 3; ++dim) {
    const auto& positions = cuts[static_cast<std::size_t>(dim)];
    if (positions.size() < 2) {
      throw InvalidArgument(fmt::format("number of cuts in {} is {}; allowed are 2 or more, from 0 to the extent",
                                        "xyz"[dim], positions.size()));
    }
    grid[dim] = std::ssize(positions) - 1;
  }
  return grid;
}

/// whole / part in each dimension, where that leaves no remainder.
std::optional<Vec3> quotient(const Vec3& whole, const Vec3& part) {
  Vec3 result;
  for (int dim = 0; dim < 3; ++dim) {
    if (whole[dim] % part[dim] != 0) return std::nullopt;
    result[dim] = whole[dim] / part[dim];
  }
  return result;
}

std::string text_of(const std::optional<Vec3>& grid) { return grid ? to_string(*grid) : "unset"; }

}  // namespace

detail::Grids detail::grids_of_cuts(const Request& request) {
  const Vec3 grid = grid_of(*request.cuts);
  const std::int64_t devices = request.nodes * request.devices_per_node;
  if (checked_volume(grid) != devices) {
    throw InvalidArgument(
        fmt::format("cuts are for {} subdomains, {} in all; allowed are as many as there are devices, {}",
                    to_string(grid), grid.volume(), devices));
  }
  if (!request.weights.empty()) {
    throw InvalidArgument(fmt::format("number of weights is {}; allowed beside cuts is none", request.weights.size()));
  }
  std::optional<std::pair<Int128, Vec3>> best;
  for (const Vec3& node : factorisations(request.nodes)) {
    const std::optional<Vec3> device = quotient(grid, node);
    if (!device || node != request.node_grid.value_or(node) || device != request.device_grid.value_or(*device))
      continue;
    const std::pair rated(node_cost(request.extent, without_wrapped(request.halo, request.boundaries, node), node),
                          node);
    if (!best || rated < *best) best = rated;
  }
  if (!best) {
    throw InvalidArgument(
        fmt::format("node_grid is {} and device_grid is {}; allowed are {} and {} parts that are {} "
                    "together, as the cuts are",
                    text_of(request.node_grid), text_of(request.device_grid), request.nodes, request.devices_per_node,
                    to_string(grid)));
  }
  return {best->second, *quotient(grid, best->second)};
}

}  // namespace halocline::partition

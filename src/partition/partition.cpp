// SPDX-License-Identifier: BSD-3-Clause
#include "partition/partition.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"

namespace halocline::partition {
namespace {

Vec3 unravel(std::int64_t position, const Vec3& grid) {
  return {position % grid.x, position / grid.x % grid.y, position / (grid.x * grid.y)};
}

std::int64_t ravel(const Vec3& index, const Vec3& grid) { return (index.z * grid.y + index.y) * grid.x + index.x; }

void check_grid(const char* what, const Vec3& grid) {
  if (grid.x < 1 || grid.y < 1 || grid.z < 1) {
    throw InvalidArgument(
        fmt::format("{} is {}; allowed are 1 or more parts in each dimension", what, to_string(grid)));
  }
}

void check_cuts(char dim, std::int64_t extent, std::int64_t parts, const std::vector<std::int64_t>& cuts) {
  if (std::cmp_not_equal(cuts.size(), parts + 1)) {
    throw InvalidArgument(
        fmt::format("number of cuts in {} is {}; allowed for {} parts is {}", dim, cuts.size(), parts, parts + 1));
  }
  if (cuts.front() != 0 || cuts.back() != extent) {
    throw InvalidArgument(fmt::format("cuts in {} go from {} to {}; allowed is from 0 to the extent, {}", dim,
                                      cuts.front(), cuts.back(), extent));
  }
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] <= cuts[i - 1]) {
      throw InvalidArgument(
          fmt::format("cut {} in {} is {}; allowed is more than the cut before it, {}", i, dim, cuts[i], cuts[i - 1]));
    }
  }
}

}  // namespace

detail::Curve::Curve(const Vec3& grid, const Vec3& block) {
  const std::int64_t n = grid.volume();
  std::vector<std::pair<std::int64_t, std::int64_t>> by_code;
  by_code.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) by_code.emplace_back(morton_index(unravel(i, grid) * block), i);
  std::sort(by_code.begin(), by_code.end());
  rank.resize(by_code.size());
  cell.reserve(by_code.size());
  for (const auto& [code, i] : by_code) {
    rank[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(cell.size());
    cell.push_back(i);
  }
}

Partition::Partition(const Vec3& extent, const Vec3& node_grid, const Vec3& device_grid,
                     std::array<std::vector<std::int64_t>, 3> cuts, Order order)
    : extent_(extent), node_grid_(node_grid), device_grid_(device_grid), cuts_(std::move(cuts)), order_(order) {
  check_grid("node_grid", node_grid);
  check_grid("device_grid", device_grid);
  (void)checked_volume(node_grid);
  (void)checked_volume(device_grid);
  Vec3 total;
  for (int dim = 0; dim < 3; ++dim) {
    if (__builtin_mul_overflow(node_grid[dim], device_grid[dim], &total[dim])) {
      throw InvalidArgument(fmt::format("grid is {} times {}; allowed are fewer than 2^63 parts", to_string(node_grid),
                                        to_string(device_grid)));
    }
  }
  for (int dim = 0; dim < 3; ++dim) {
    check_cuts("xyz"[dim], extent[dim], total[dim], cuts_[static_cast<std::size_t>(dim)]);
  }
  (void)checked_volume(total);
  if (order == Order::z_order) {
    nodes_along_ = detail::Curve(node_grid, device_grid);
    devices_along_ = detail::Curve(device_grid, Vec3::filled(1));
  }
}

Vec3 Partition::index_of(subdomain_id subdomain) const {
  std::int64_t node = node_part_of(subdomain);
  std::int64_t device = subdomain.value() % devices_per_node();
  if (order_ == Order::z_order) {
    node = nodes_along_.cell[static_cast<std::size_t>(node)];
    device = devices_along_.cell[static_cast<std::size_t>(device)];
  }
  return unravel(node, node_grid_) * device_grid_ + unravel(device, device_grid_);
}

subdomain_id Partition::at(const Vec3& index) const {
  const Vec3 total = grid();
  if (!Box::of_extent(total).contains(index)) {
    throw InvalidArgument(fmt::format("index of a subdomain is {}; allowed are positions in a grid of {}",
                                      to_string(index), to_string(total)));
  }
  const Vec3 node_index{index.x / device_grid_.x, index.y / device_grid_.y, index.z / device_grid_.z};
  std::int64_t node = ravel(node_index, node_grid_);
  std::int64_t device = ravel(index - node_index * device_grid_, device_grid_);
  if (order_ == Order::z_order) {
    node = nodes_along_.rank[static_cast<std::size_t>(node)];
    device = devices_along_.rank[static_cast<std::size_t>(device)];
  }
  return subdomain_id(node * devices_per_node() + device);
}

Box Partition::box_of(subdomain_id subdomain) const {
  const Vec3 index = index_of(subdomain);
  Box box;
  for (int dim = 0; dim < 3; ++dim) {
    const std::vector<std::int64_t>& c = cuts(dim);
    box.lo[dim] = c[static_cast<std::size_t>(index[dim])];
    box.hi[dim] = c[static_cast<std::size_t>(index[dim]) + 1];
  }
  return box;
}

std::int64_t Partition::node_part_of(subdomain_id subdomain) const {
  if (!subdomain.valid() || subdomain.value() >= size()) {
    throw InvalidArgument(fmt::format("subdomain is {}; allowed are 0 to {}", subdomain.value(), size() - 1));
  }
  return subdomain.value() / devices_per_node();
}

}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halocline/box.hpp"
#include "halocline/ids.hpp"

namespace halocline::partition {

/// How subdomains are numbered: node by node, and within a node device by device.
enum class Order : int {
  row_major,  ///< x fastest, at both levels
  /// Along the Morton curve over the whole grid: nodes in the order in which the curve meets their lowest
  /// subdomains, and within a node its subdomains along the curve. For a grid P* that is the curve
  /// itself; for others a node's part stays a box.
  z_order,
};

namespace detail {
/// The cells of a small grid in the order of the Morton codes of cell * block.
struct Curve {
  Curve() = default;
  Curve(const Vec3& grid, const Vec3& block);
  std::vector<std::int64_t> cell;  ///< place along the curve -> row-major position
  std::vector<std::int64_t> rank;  ///< the inverse
  friend bool operator==(const Curve&, const Curve&) = default;
};
}  // namespace detail

/// A domain cut into nodes x devices subdomains. The cuts are planes through the whole domain, so each
/// subdomain has one neighbour in each direction, whose faces match its own. A value; no pointers.
///
/// Subdomain s belongs to node s / devices_per_node and is that node's part s % devices_per_node;
/// which device gets it is placement's business.
class Partition {
 public:
  /// node_grid and device_grid: parts in each dimension at the two levels (all 1 or more).
  /// cuts[dim]: node_grid[dim] * device_grid[dim] + 1 increasing coordinates from 0 to the extent.
  /// Throws InvalidArgument where these do not fit together, or where a part would be empty.
  Partition(const Vec3& extent, const Vec3& node_grid, const Vec3& device_grid,
            std::array<std::vector<std::int64_t>, 3> cuts, Order order);

  [[nodiscard]] const Vec3& extent() const { return extent_; }
  [[nodiscard]] const Vec3& node_grid() const { return node_grid_; }
  [[nodiscard]] const Vec3& device_grid() const { return device_grid_; }
  /// Subdomains in each dimension: node_grid * device_grid.
  [[nodiscard]] Vec3 grid() const { return node_grid_ * device_grid_; }
  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] const std::vector<std::int64_t>& cuts(int dim) const { return cuts_[static_cast<std::size_t>(dim)]; }

  [[nodiscard]] std::int64_t size() const { return grid().volume(); }
  [[nodiscard]] std::int64_t nodes() const { return node_grid_.volume(); }
  [[nodiscard]] std::int64_t devices_per_node() const { return device_grid_.volume(); }

  /// Position of a subdomain in grid(), and back. O(1). Both throw InvalidArgument for what is outside.
  [[nodiscard]] Vec3 index_of(subdomain_id subdomain) const;
  [[nodiscard]] subdomain_id at(const Vec3& index) const;
  /// The cells that a subdomain owns, in global coordinates. O(1).
  [[nodiscard]] Box box_of(subdomain_id subdomain) const;
  /// The node-level part (0 to nodes() - 1) that a subdomain belongs to.
  [[nodiscard]] std::int64_t node_part_of(subdomain_id subdomain) const;

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  Vec3 extent_;
  Vec3 node_grid_;
  Vec3 device_grid_;
  std::array<std::vector<std::int64_t>, 3> cuts_;
  Order order_ = Order::row_major;
  /// For z_order, at the two levels; empty for row_major.
  detail::Curve nodes_along_;
  detail::Curve devices_along_;
};

}  // namespace halocline::partition

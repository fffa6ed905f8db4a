// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/halo_width.hpp"
#include "halocline/field.hpp"
#include "halocline/partition.hpp"
#include "halocline/stencil.hpp"
#include "partition/partition.hpp"

namespace halocline::partition {

/// What is to be cut, and for whom.
struct Request {
  Vec3 extent{};
  /// The widest halo of any field: decides what fits and what a cut costs.
  HaloWidth halo{};
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  Method method = Method::exact;  ///< not automatic
  Ties ties = Ties::fewest_in_x;
  /// For Method::given.
  std::optional<Vec3> node_grid{};
  std::optional<Vec3> device_grid{};
  /// Implies Method::given, and excludes weights.
  std::optional<Cuts> cuts{};
  Order order = Order::row_major;
  /// A dimension that is not cut, and open or periodic_in_kernel, may be thinner than the halo, as no step reads a halo there; what
  /// wraps costs nothing.
  Boundaries boundaries = all_periodic;
  /// Relative speed of each subdomain's device, by subdomain_id (size nodes * devices_per_node, all above
  /// 0); empty for equal devices. Grids are chosen as without weights. A slab of the grid gets cells in
  /// proportion to the sum of its devices' weights, whole cells by largest remainders, and never fewer
  /// than its halo needs.
  std::vector<double> weights{};
  /// For Method::fastest: what a partition costs, in any unit. The same on every rank for the same partition.
  std::function<std::int64_t(const Partition&)> cost{};
};

/// Of more grids only these many are compared: there are thousands for some numbers of nodes, and each costs time in proportion to the devices.
inline constexpr std::size_t most_candidates = 512;

/// Cuts the domain. Without weights the sizes of subdomains differ by at most one cell a dimension.
/// Throws InvalidArgument where the domain is too small for its halo or for the number of devices;
/// the message names what would fit. The same request gives the same partition on every machine.
[[nodiscard]] Partition make_partition(const Request& request);

/// All pairs of a node grid and a device grid that the domain has room for, cut evenly, the one of `exact` first and then in
/// order of cuts in x, y and z; a grid that the request gives is the only one of its level. Of more than `most` the one of `exact` and the
/// ones with the least surface_of(). The method does not count. Throws as make_partition does for `exact`.
[[nodiscard]] std::vector<Partition> candidate_partitions(const Request& request, std::size_t most = most_candidates);

/// Cells of three faces of a node part and of three faces of a subdomain, in sum.
[[nodiscard]] double surface_of(const Vec3& extent, const Vec3& node_grid, const Vec3& device_grid);

/// Parts in each dimension by recursive bisection: the prime factors of parts, largest first, each
/// along the dimension whose (remaining) extent is longest, ties x first.
[[nodiscard]] Vec3 bisection_grid(const Vec3& extent, std::int64_t parts);

/// The factorisation p of parts that minimises 2(C_M' - C_N') (Eq. 7) for subdomains of extent / p
/// (as rationals, compared exactly) and a halo of r cells on all sides; ties to the
/// lexicographically largest (p0, p1, p2). Sides may differ: lower + upper takes the place of 2r; a direction
/// that is not read costs nothing. Only grids whose parts all have as many cells as the halo are
/// candidates; where there are none, those whose parts have cells. Throws InvalidArgument without any.
[[nodiscard]] Vec3 exact_node_grid(const Vec3& extent, const HaloWidth& halo, std::int64_t parts);
/// The factorisation that minimises C_M'' - C_L'' (Eqs. 10 and 12): halo that is not shared with
/// another device of the node, where L'' takes in the mean of both sides' radii in each dimension with 2 or
/// more parts. The same candidates and tie rule. make_partition takes extent / node_grid as the
/// node's (rational) extent, and passes over node grids that leave the devices nothing that fits.
[[nodiscard]] Vec3 exact_device_grid(const Vec3& extent, const HaloWidth& halo, std::int64_t parts);

/// Largest first, e.g. 12 -> 3, 2, 2; 1 -> nothing.
[[nodiscard]] std::vector<std::int64_t> prime_factors(std::int64_t n);

/// The coordinate that belongs to an index along the Z-order (Morton) curve: bits i, i+3, i+6, ... make
/// one component; x takes the lowest. morton_index is the inverse.
[[nodiscard]] Vec3 morton_position(std::int64_t index);
[[nodiscard]] std::int64_t morton_index(const Vec3& position);

}  // namespace halocline::partition

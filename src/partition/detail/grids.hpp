// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/halo_width.hpp"
#include "halocline/field.hpp"
#include "halocline/stencil.hpp"
#include "partition/partition.hpp"
#include "partition/strategy.hpp"

// Shared by the files of the partition stage only.
namespace halocline::partition::detail {

__extension__ typedef __int128 Int128;

/// The two levels of a cut.
struct Grids {
  Vec3 node;
  Vec3 device;
  [[nodiscard]] Vec3 total() const { return node * device; }
};

/// For texts: 2^63 - 1 in the place of more.
[[nodiscard]] constexpr std::int64_t product_for_text(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// All ordered (p0, p1, p2) whose product is parts, lexicographically largest first.
[[nodiscard]] std::vector<Vec3> factorisations(std::int64_t parts);

/// Recursive bisection of one part of a domain that has been cut into `done` parts already: how many
/// parts that part gets in each dimension. Compares extent / (done * result) as rationals.
[[nodiscard]] Vec3 bisect(const Vec3& extent, const Vec3& done, std::int64_t parts);

/// Whether nothing is exchanged along a dimension: it is wrapped, and a grid leaves it whole.
[[nodiscard]] bool wraps(const Boundaries& boundaries, const Vec3& grid, int dim);
/// A Stencil or HaloWidth of a grid's parts: nothing in dimensions that wrap.
template <typename Width>
[[nodiscard]] Width without_wrapped(Width width, const Boundaries& boundaries, const Vec3& grid) {
  for (int dim = 0; dim < 3; ++dim) {
    if (wraps(boundaries, grid, dim)) width = width.without_dimension(dim);
  }
  return width;
}

/// Eq. 7 without its constant factors, times the number of nodes: the halo cells of all node parts.
[[nodiscard]] Int128 node_cost(const Vec3& extent, const HaloWidth& halo, const Vec3& node_grid);
/// Eq. 12's Q_inter, times 8 * the number of all devices. grids.node is the cut before.
[[nodiscard]] Int128 device_cost(const Vec3& extent, const HaloWidth& halo, const Grids& grids);

/// Cells that a subdomain needs in each dimension: the wider halo of the two sides, as a neighbour (or
/// the subdomain itself, around a periodic boundary) reads that many; 1 if none reads.
[[nodiscard]] Vec3 least_extent(const HaloWidth& halo, const Boundaries& boundaries, const Vec3& grid);
/// Whether even cuts leave every subdomain its least extent.
[[nodiscard]] bool fits(const Request& request, const Vec3& grid);
/// Throws InvalidArgument with what would fit. `chosen` is the cut that does not, or nullptr where
/// every cut was tried; `alternative` is one that does, or nullptr.
[[noreturn]] void refuse(const Request& request, const Grids* chosen, const Grids* alternative);

/// Every candidate pair by cost (nodes first); the first that fits is written to best.
[[nodiscard]] bool search(const Request& request, std::span<const Vec3> node_candidates,
                          std::span<const Vec3> device_candidates, Grids& best);

/// The grids of a request that gives cuts: nodes as by `exact`, where the request leaves a choice. Throws InvalidArgument
/// where there are not as many parts as devices, or grids of the request differ from the cuts.
[[nodiscard]] Grids grids_of_cuts(const Request& request);

/// The grid P* and its low bits, the part of it that a node holds. Both numbers must be powers of two.
[[nodiscard]] Grids z_order_grids(std::int64_t nodes, std::int64_t devices_per_node);

/// Slabs whose sizes differ by one cell at most, at both levels.
[[nodiscard]] Cuts even_cuts(const Vec3& extent, const Vec3& grid);
/// Slabs in proportion to the sum of their subdomains' weights, each at least `least` cells thick.
[[nodiscard]] Cuts weighted_cuts(const Partition& even, std::span<const double> weights, const Vec3& least);

}  // namespace halocline::partition::detail

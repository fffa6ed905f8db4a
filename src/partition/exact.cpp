// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

using detail::Int128;

[[noreturn]] void refuse_to_compare() {
  throw InvalidArgument(
      "extent times halo times parts is too large to be compared; allowed are fewer "
      "than 2^127 halo cells in total");
}

Int128 product(const std::array<Int128, 3>& factors) {
  Int128 all = 1;
  for (const Int128 factor : factors) {
    if (__builtin_mul_overflow(all, factor, &all)) refuse_to_compare();
  }
  return all;
}

void add(Int128& sum, Int128 cells) {
  if (__builtin_add_overflow(sum, cells, &sum)) refuse_to_compare();
}

/// The candidates that leave every part at least `least` cells; none where there is no such grid.
std::vector<Vec3> thick_enough(const Vec3& extent, const std::vector<Vec3>& candidates, const Vec3& least) {
  std::vector<Vec3> kept;
  for (const Vec3& p : candidates) {
    if (extent.x / p.x >= least.x && extent.y / p.y >= least.y && extent.z / p.z >= least.z) {
      kept.push_back(p);
    }
  }
  return kept;
}

/// The first of equals.
template <typename Cost>
Vec3 cheapest(const std::vector<Vec3>& candidates, Cost&& cost) {
  Vec3 best = candidates.front();
  Int128 least = cost(best);
  for (const Vec3& p : candidates) {
    const Int128 c = cost(p);
    if (c < least) {
      least = c;
      best = p;
    }
  }
  return best;
}

/// The candidates of the public functions: thick enough for the halo where any is, or else with cells.
std::vector<Vec3> candidates_for(const Vec3& extent, const HaloWidth& halo, std::int64_t parts) {
  const std::vector<Vec3> all = detail::factorisations(parts);
  std::vector<Vec3> kept = thick_enough(extent, all, detail::least_extent(halo, all_periodic, Vec3::filled(2)));
  if (kept.empty()) kept = thick_enough(extent, all, Vec3::filled(1));
  if (kept.empty()) {
    throw InvalidArgument(
        fmt::format("number of parts is {}; allowed for an extent of {} are numbers with three "
                    "factors that are at most its three components",
                    parts, to_string(extent)));
  }
  return kept;
}

}  // namespace

// The halo of one part has, for each direction d that is read, the product over the dimensions of n_i / p_i
// (where d_i is 0) or r_i (where it is not) cells. Times p0 * p1 * p2, which is the same for all candidates,
// this is a product of integers. Where all 26 directions are read the sum is C_M' - C_N'.
Int128 detail::node_cost(const Vec3& extent, const HaloWidth& halo, const Vec3& node_grid) {
  Int128 cells = 0;
  for (const Direction d : all_directions) {
    if (!halo.has(d)) continue;
    const Vec3 width = halo.width(d);
    std::array<Int128, 3> factors{};
    for (int dim = 0; dim < 3; ++dim) {
      factors[static_cast<std::size_t>(dim)] = d[dim] == 0 ? Int128{extent[dim]} : Int128{width[dim]} * node_grid[dim];
    }
    add(cells, product(factors));
  }
  return cells;
}

// The same for C_M'' - C_L'': a local subgrid takes in one side of each dimension that is cut, here the mean
// of the two sides, as the first device of a row shares its upper halo and the last one its lower. Halves are
// avoided by a factor of 2 in each dimension.
Int128 detail::device_cost(const Vec3& extent, const HaloWidth& halo, const Grids& grids) {
  Int128 cells = 0;
  const Vec3 total = grids.total();
  for (const Direction d : all_directions) {
    if (!halo.has(d)) continue;
    const Vec3 width = halo.width(d);
    std::array<Int128, 3> all{};
    std::array<Int128, 3> local{};
    for (int dim = 0; dim < 3; ++dim) {
      const auto i = static_cast<std::size_t>(dim);
      const Int128 in_halo = Int128{width[dim]} * total[dim];
      all[i] = d[dim] == 0 ? 2 * Int128{extent[dim]} : 2 * in_halo;
      local[i] = d[dim] == 0 ? 2 * Int128{extent[dim]} : (grids.device[dim] >= 2 ? in_halo : 0);
    }
    add(cells, product(all) - product(local));
  }
  return cells;
}

// Ties as in the paper's tables: candidates come lexicographically largest first.
Vec3 exact_node_grid(const Vec3& extent, const HaloWidth& halo, std::int64_t parts) {
  return cheapest(candidates_for(extent, halo, parts),
                  [&](const Vec3& p) { return detail::node_cost(extent, halo, p); });
}

Vec3 exact_device_grid(const Vec3& extent, const HaloWidth& halo, std::int64_t parts) {
  return cheapest(candidates_for(extent, halo, parts), [&](const Vec3& p) {
    return detail::device_cost(extent, halo, {Vec3::filled(1), p});
  });
}

bool detail::search(const Request& request, std::span<const Vec3> node_candidates,
                    std::span<const Vec3> device_candidates, Grids& best) {
  std::vector<std::pair<Int128, Vec3>> nodes;
  for (const Vec3& p : node_candidates) {
    if (fits(request, p))
      nodes.emplace_back(node_cost(request.extent, without_wrapped(request.halo, request.boundaries, p), p), p);
  }
  // Among equals the one with the fewest cuts in x, then in y: halos of x are thin rows, which cost more than as many cells
  // in rows along x. In the paper's tables it is the one with the most.
  const auto is_first = [&](const Vec3& a, const Vec3& b) { return request.ties == Ties::paper ? b < a : a < b; };
  std::ranges::sort(nodes, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : is_first(a.second, b.second);
  });
  for (const auto& [cost, node] : nodes) {
    std::vector<Vec3> devices;
    for (const Vec3& p : device_candidates) {
      if (fits(request, node * p)) devices.push_back(p);
    }
    if (devices.empty()) continue;
    std::ranges::sort(devices, is_first);
    best.node = node;
    best.device = cheapest(devices, [&](const Vec3& p) {
      return device_cost(request.extent, without_wrapped(request.halo, request.boundaries, best.node * p),
                         {best.node, p});
    });
    return true;
  }
  return false;
}

}  // namespace halocline::partition

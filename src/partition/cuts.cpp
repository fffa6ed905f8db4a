// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "partition/detail/grids.hpp"

namespace halocline::partition {
namespace {

using detail::Int128;

/// Shares cells among slabs in proportion to their weights (integers above 0), each at least `least`; the
/// caller vouches that slabs * least <= cells. Whole cells by largest remainders, ties to the lower slab.
std::vector<std::int64_t> shares(std::int64_t cells, const std::vector<Int128>& weights, std::int64_t least) {
  std::vector<std::size_t> by_weight(weights.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] < weights[b]; });
  Int128 weight_left = std::accumulate(weights.begin(), weights.end(), Int128{0});
  std::int64_t cells_left = cells;
  std::vector<std::int64_t> share(weights.size(), least);

  // The lightest slabs get their least, as long as their proportion of what is left is below it.
  std::size_t first = 0;
  for (; first < by_weight.size(); ++first) {
    const Int128 weight = weights[by_weight[first]];
    if (weight * cells_left >= weight_left * least) break;
    weight_left -= weight;
    cells_left -= least;
  }
  std::vector<std::size_t> rest(by_weight.begin() + static_cast<std::ptrdiff_t>(first), by_weight.end());
  std::int64_t over = cells_left;
  for (const std::size_t slab : rest) {
    share[slab] = static_cast<std::int64_t>(weights[slab] * cells_left / weight_left);
    over -= share[slab];
  }
  std::sort(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) {
    const Int128 remainder_a = weights[a] * cells_left % weight_left;
    const Int128 remainder_b = weights[b] * cells_left % weight_left;
    return remainder_a != remainder_b ? remainder_a > remainder_b : a < b;
  });
  for (std::size_t i = 0; i < static_cast<std::size_t>(over); ++i) ++share[rest[i]];
  return share;
}

}  // namespace

// floor(k * n / P) nests: every p'-th cut of p * p' is floor(k * n / p), so that node parts, too, differ by
// one.
Cuts detail::even_cuts(const Vec3& extent, const Vec3& grid) {
  Cuts cuts;
  for (int dim = 0; dim < 3; ++dim) {
    std::vector<std::int64_t>& c = cuts[static_cast<std::size_t>(dim)];
    c.reserve(static_cast<std::size_t>(grid[dim]) + 1);
    for (std::int64_t k = 0; k <= grid[dim]; ++k) {
      c.push_back(static_cast<std::int64_t>(Int128{k} * extent[dim] / grid[dim]));
    }
  }
  return cuts;
}

Cuts detail::weighted_cuts(const Partition& even, std::span<const double> weights, const Vec3& least) {
  // As integers, so that sums do not depend on the order of their terms.
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::array<std::vector<Int128>, 3> slabs;
  for (int dim = 0; dim < 3; ++dim) {
    slabs[static_cast<std::size_t>(dim)].assign(static_cast<std::size_t>(even.grid()[dim]), 0);
  }
  for (std::int64_t s = 0; s < even.size(); ++s) {
    const double scaled = weights[static_cast<std::size_t>(s)] / largest * 0x1p32;
    const std::int64_t weight = std::max<std::int64_t>(1, std::llround(scaled));
    const Vec3 index = even.index_of(subdomain_id(s));
    for (int dim = 0; dim < 3; ++dim) {
      slabs[static_cast<std::size_t>(dim)][static_cast<std::size_t>(index[dim])] += weight;
    }
  }
  Cuts cuts;
  for (int dim = 0; dim < 3; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    cuts[i].push_back(0);
    for (const std::int64_t share : shares(even.extent()[dim], slabs[i], least[dim])) {
      cuts[i].push_back(cuts[i].back() + share);
    }
  }
  return cuts;
}

}  // namespace halocline::partition

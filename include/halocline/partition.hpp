// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace halocline::partition {

/// By dimension: positions 0 = c0 < c1 < ... < cn = extent of the planes that cut a domain into n slabs.
using Cuts = std::array<std::vector<std::int64_t>, 3>;

/// How the grid is chosen.
enum class Method : int {
  bisection,  ///< hierarchical recursive bisection by prime factors (Pearson et al., section III.A)
  exact,      ///< all factorisations, least halo (Pekkilä et al., section 3.2)
  /// Morton order (Pekkilä et al., section 3.3). If nodes and devices are powers of two, the grid is P* = morton^-1(parts - 1) + 1;
  /// otherwise, or if that does not fit, it is the grid of `exact`. Nodes, and subdomains within a node, are numbered along the curve.
  z_order,
  given,  ///< cuts, or node_grid and device_grid, of the options; a grid that is unset is chosen as by `exact`
  /// The grid with the smallest predicted time: where links are unequal, simulated together with placements, over links that messages share;
  /// otherwise from rates of exchanges, measured or typical of GPUs joined by NVLink, and the grid of `exact` without them.
  fastest,
  automatic,  ///< `exact`; another where links are unequal, or rates predict 10 % less time, or fewer messages in as much
};
[[nodiscard]] std::string_view to_string(Method method);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Method method_from_string(std::string_view name);

/// Which of several grids of equal cost `exact` takes.
enum class Ties : int {
  fewest_in_x,  ///< with the fewest cuts in x, then in y: halos of x are short rows
  paper,        ///< with the most, as in appendix A of Pekkilä et al.
};
[[nodiscard]] std::string_view to_string(Ties ties);

}  // namespace halocline::partition
#pragma GCC visibility pop

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#pragma GCC visibility push(default)
namespace halocline::partition {

/// Which grid is chosen.
enum class Method : int {
  bisection,  ///< hierarchical recursive bisection by prime factors (Pearson et al., section III.A)
  exact,      ///< all factorisations, least halo (Pekkilä et al., section 3.2)
  /// Morton order (Pekkilä et al., section 3.3). Where nodes and devices are powers of two, the grid is
  /// P* = morton^-1(parts - 1) + 1; otherwise, or where that does not fit, that of `exact`, with nodes and
  /// the subdomains within each numbered along the curve.
  z_order,
  given,  ///< node_grid and device_grid as the user says; one that is left out is chosen as by `exact`
  /// The candidate that is predicted to be fastest, from measured rates of the machine map; that of `exact` without.
  fastest,
};
[[nodiscard]] std::string_view to_string(Method method);
/// The inverse of to_string. Throws InvalidArgument that lists the names.
[[nodiscard]] Method method_from_string(std::string_view name);

}  // namespace halocline::partition
#pragma GCC visibility pop

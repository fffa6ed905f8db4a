// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "partition/halo.hpp"

namespace apps {

/// All dimensions periodic, x such that kernels wrap around the ends of whole rows by themselves: halos in x are thin rows,
/// the slowest to exchange.
inline constexpr halocline::Boundaries x_periodic_in_kernel{
    halocline::Boundary::periodic_in_kernel, halocline::Boundary::periodic, halocline::Boundary::periodic};

/// Throws InvalidArgument, in the program's name, where a dimension is open, or wraps and is not x.
void check_periodic(std::string_view program, const halocline::partition::Geometry& geometry);

}  // namespace apps

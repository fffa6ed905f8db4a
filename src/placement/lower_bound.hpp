// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "placement/placement.hpp"

namespace halocline::placement {

/// Returns a cost that no placement can be below (Gilmore and Lawler). O(n^3): for problems that are too large for an
/// exact solution. Throws InvalidArgument above 12 facilities, and for negative entries or entries whose products may
/// overflow.
[[nodiscard]] std::int64_t lower_bound(const Assignment& problem);

}  // namespace halocline::placement

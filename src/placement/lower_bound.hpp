// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "placement/placement.hpp"

namespace halocline::placement {

/// No placement costs less (Gilmore and Lawler). O(n^3): for problems that are too large to be solved for a proof. Throws
/// InvalidArgument above 12 facilities, and for negative entries or entries whose products may overflow.
[[nodiscard]] std::int64_t lower_bound(const Assignment& problem);

}  // namespace halocline::placement

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/box.hpp"

namespace halocline::partition {

/// The extent of weak scaling, which gives each of n parts so many cells: each prime factor of n, largest first, goes to the dimension
/// that was cut least, z before y before x. Throws InvalidArgument for less than 1 part.
[[nodiscard]] Vec3 weak_extent(const Vec3& of_part, std::int64_t parts);

}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#include "partition/weak_extent.hpp"

#include "partition/strategy.hpp"

namespace halocline::partition {

Vec3 weak_extent(const Vec3& of_part, std::int64_t parts) {
  Vec3 grid{1, 1, 1};
  for (const std::int64_t factor : prime_factors(parts)) {
    std::int64_t& least = grid.z <= grid.y && grid.z <= grid.x ? grid.z : grid.y <= grid.x ? grid.y : grid.x;
    least *= factor;
  }
  return of_part * grid;
}

}  // namespace halocline::partition

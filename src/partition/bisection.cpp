// SPDX-License-Identifier: BSD-3-Clause
#include "partition/detail/grids.hpp"

namespace halocline::partition {

Vec3 detail::bisect(const Vec3& extent, const Vec3& done, std::int64_t parts) {
  Vec3 cut = done;
  for (const std::int64_t factor : prime_factors(parts)) {
    int longest = 0;
    for (int dim = 1; dim < 3; ++dim) {
      // extent[dim] / cut[dim] > extent[longest] / cut[longest], without rounding
      if (Int128{extent[dim]} * cut[longest] > Int128{extent[longest]} * cut[dim]) longest = dim;
    }
    cut[longest] *= factor;
  }
  return {cut.x / done.x, cut.y / done.y, cut.z / done.z};
}

Vec3 bisection_grid(const Vec3& extent, std::int64_t parts) { return detail::bisect(extent, Vec3::filled(1), parts); }

}  // namespace halocline::partition

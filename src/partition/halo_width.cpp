// SPDX-License-Identifier: BSD-3-Clause
#include "partition/halo_width.hpp"

namespace halocline::partition {

Radius halo_radius(const Radius& field, const Radius& widest, int multiplier) {
  if (multiplier == 1) return field;
  const Vec3 steps = Vec3::filled(multiplier - 1);
  return Radius::per_side(steps * widest.lower() + field.lower(), steps * widest.upper() + field.upper());
}

}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#include "core/halo_width.hpp"

namespace halocline {

HaloWidth halo_width(const Stencil& field, const Stencil& widest, int steps) {
  if (steps == 1) return field;
  const Vec3 before = Vec3::filled(steps - 1);
  return Stencil::per_side(before * widest.lower() + field.lower(), before * widest.upper() + field.upper());
}

}  // namespace halocline

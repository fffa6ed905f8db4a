// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/stencil.hpp"
#include "support/seeded.hpp"

namespace halocline::overlap {

/// 0 to 3 cells on each side, edges and corners on.
inline Stencil random_stencil(test::Seeded& seeded) {
  Vec3 lower;
  Vec3 upper;
  for (int dim = 0; dim < 3; ++dim) {
    lower[dim] = seeded.between(0, 3);
    upper[dim] = seeded.between(0, 3);
  }
  return Stencil::per_side(lower, upper);
}

}  // namespace halocline::overlap

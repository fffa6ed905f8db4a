// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/problem.hpp"

namespace laplace3d {

Coefficients default_coefficients(Stencil stencil) {
  if (stencil == Stencil::points19) return {0.2, 1.0 / 15, 1.0 / 30};
  return {};
}

int flops_of(Stencil stencil) { return stencil == Stencil::points19 ? 21 : 8; }

halocline::Stencil radius_of(Stencil stencil) {
  if (stencil == Stencil::points19) return halocline::Stencil::box(1).without_corners();
  return halocline::Stencil::star(1);
}

}  // namespace laplace3d

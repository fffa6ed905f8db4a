// SPDX-License-Identifier: BSD-3-Clause
#include "step_kernels.hpp"

namespace cli {

using halocline::Stencil;

namespace {

// mhd keeps eight fp64 fields. Each of the three substeps reads them, reads what the substep before stored for the integration scheme, and
// writes eight.
constexpr double mhd_fields = 8;
constexpr int mhd_substeps = 3;
constexpr double mhd_bytes = mhd_substeps * mhd_fields * 3 * sizeof(double);

}  // namespace

const std::vector<StepKernel>& step_kernels() {
  static const std::vector<StepKernel> kernels{
      {"custom", "", Stencil::box(1), 1, {}},
      {"jacobi3d", "1xf32", Stencil::star(1), 1, {2 * sizeof(float), 0}},
      {"laplace3d", "1xf64", Stencil::star(1), 1, {2 * sizeof(double), 8}},
      {"mhd", "8xf64", Stencil::box(3).without_corners(), mhd_substeps, {mhd_bytes, 0}},
  };
  return kernels;
}

}  // namespace cli

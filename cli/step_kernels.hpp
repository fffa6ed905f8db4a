// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "halocline/stencil.hpp"
#include "model/step.hpp"

namespace cli {

/// A kernel whose steps can be predicted: what it exchanges, and what it costs.
struct StepKernel {
  std::string name;
  std::string fields;  ///< as --fields has them; empty: the flags'
  halocline::Stencil stencil;
  int exchanges = 1;                  ///< of all fields, in a step
  halocline::model::KernelCost cost;  ///< of one cell in one step, each value moved once between memory and caches
};

/// jacobi3d, laplace3d and mhd as the applications run by default, and `custom`, which flags describe.
[[nodiscard]] const std::vector<StepKernel>& step_kernels();

}  // namespace cli

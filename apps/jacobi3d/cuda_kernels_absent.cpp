// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "jacobi3d/kernels.hpp"

namespace jacobi3d {

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain& /*domain*/, const Problem& /*problem*/) {
  throw halocline::CapabilityError(
      "jacobi3d's kernels for GPUs are not in this build: configure with -DHALOCLINE_CUDA=ON");
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(const halocline::Domain&, const Problem&);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(const halocline::Domain&, const Problem&);

}  // namespace jacobi3d

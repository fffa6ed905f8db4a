// SPDX-License-Identifier: BSD-3-Clause
#include "device/backend.hpp"
#include "halocline/error.hpp"
#include "laplace3d/kernels.hpp"

namespace laplace3d {

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(halocline::device::Backend& /*backend*/, const Problem& /*problem*/) {
  throw halocline::CapabilityError(
      "laplace3d's kernels for GPUs are not in this build: configure with -DHALOCLINE_CUDA=ON");
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(halocline::device::Backend&, const Problem&);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(halocline::device::Backend&, const Problem&);

}  // namespace laplace3d

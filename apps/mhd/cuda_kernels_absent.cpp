// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"
#include "mhd/kernels.hpp"

namespace mhd {

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain&, const State<T>&, const Parameters&, int) {
  throw halocline::CapabilityError("mhd: kernels for GPUs are not in this build; configure with HALOCLINE_CUDA=ON");
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(const halocline::Domain&, const State<float>&,
                                                                  const Parameters&, int);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(const halocline::Domain&, const State<double>&,
                                                                    const Parameters&, int);

}  // namespace mhd

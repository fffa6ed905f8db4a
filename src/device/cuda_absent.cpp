// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda_backend.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

std::vector<DeviceInfo> cuda_devices() noexcept { return {}; }

std::string old_cuda_driver() { return {}; }

GpuSharing gpu_sharing(int /*device*/) {
  throw CapabilityError("the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

std::shared_ptr<Backend> make_cuda_backend(const CudaOptions& /*options*/) {
  throw CapabilityError("the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

}  // namespace halocline::device

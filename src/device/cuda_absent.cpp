// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda_backend.hpp"
#include "device/detail/gpu_files.hpp"
#include "halocline/error.hpp"

namespace halocline::device {

std::vector<DeviceInfo> cuda_devices() noexcept { return {}; }

FoundGpus find_gpus() {
  FoundGpus found;
  try {
    static_cast<void>(make_cuda_backend({}));
  } catch (const CapabilityError&) {
    found.failure = std::current_exception();
  }
  found.warning = gpus_without_backend("/dev");
  return found;
}

GpuSharing gpu_sharing(int /*device*/) {
  throw CapabilityError("the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

std::shared_ptr<Backend> make_cuda_backend(const CudaOptions& /*options*/) {
  throw CapabilityError(
      "the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON (pip: the wheel halocline-cuda, or "
      "the sources with CMAKE_ARGS=-DHALOCLINE_CUDA=ON), or choose host devices");
}

}  // namespace halocline::device

#include "halocline/core/error.hpp"
#include "halocline/device/cuda.hpp"

namespace halocline::device {

int cuda_device_count() noexcept { return 0; }

std::shared_ptr<Backend> make_cuda_backend() {
  throw CapabilityError("the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

}  // namespace halocline::device

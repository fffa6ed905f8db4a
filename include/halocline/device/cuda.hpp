#pragma once

#include <memory>

#include "halocline/device/backend.hpp"

namespace halocline::device {

/// GPUs that the CUDA backend sees; 0 where it was not built in or there is no driver. Never throws.
[[nodiscard]] int cuda_device_count() noexcept;
/// Throws CapabilityError where the backend is not built in; it names the option that builds it.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend();

}  // namespace halocline::device

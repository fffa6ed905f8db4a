// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device {

/// The GPUs that this process sees, by CUDA's ordinals, without starting work on any; empty where the backend is not built
/// in, or there is no driver or no GPU. Never throws.
[[nodiscard]] std::vector<DeviceInfo> cuda_devices() noexcept;

struct CudaOptions {
  /// CUDA's ordinals of the GPUs that the backend drives, each once; its own ordinals count them in this order. Empty:
  /// all that the process sees.
  std::vector<int> devices;
  /// Forbids peer access from one of its devices to another, though the hardware has it; empty: never. For measurements
  /// and tests.
  std::function<bool(int from, int to)> peer_access;
};

/// Throws CapabilityError where the backend is not built in (it names the option that builds it) or no driver is found,
/// InvalidArgument for a device that is not there.
[[nodiscard]] std::shared_ptr<Backend> make_cuda_backend(const CudaOptions& options);

}  // namespace halocline::device

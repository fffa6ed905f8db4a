// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

/// There is no driver or no GPU.
class NoGpu : public CapabilityError {
 public:
  using CapabilityError::CapabilityError;
};

/// How many GPUs this process sees. Throws NoGpu, or CapabilityError if the driver is too old or fails.
[[nodiscard]] int count_devices();
/// Starts no work on the device.
[[nodiscard]] DeviceInfo describe_device(int cuda_ordinal);
/// -1 if this process does not see the GPU. Throws what find_gpus() has met if it found none.
[[nodiscard]] int ordinal_of(const std::string& uuid);

}  // namespace halocline::device::cuda

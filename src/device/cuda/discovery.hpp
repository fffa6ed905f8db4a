// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device::cuda {

/// How many GPUs this process sees. Throws CapabilityError if there is no driver or no GPU.
[[nodiscard]] int count_devices();
/// Starts no work on the device.
[[nodiscard]] DeviceInfo describe_device(int cuda_ordinal);
/// -1 if this process does not see the GPU.
[[nodiscard]] int ordinal_of(const std::string& uuid);

}  // namespace halocline::device::cuda

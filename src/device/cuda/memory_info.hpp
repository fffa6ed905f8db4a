// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/backend.hpp"
#include "device/cuda/devices.hpp"

namespace halocline::device::cuda {

/// Backend::memory_at().
[[nodiscard]] MemoryInfo describe_memory(const Devices& devices, const void* address);

}  // namespace halocline::device::cuda

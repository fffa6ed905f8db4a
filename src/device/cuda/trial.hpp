#pragma once

#include "device/cuda/device.hpp"
#include "halocline/device/backend.hpp"

namespace halocline::device::cuda {

/// Enqueues a kernel that waits for a flag, then one in another stream that signals it. Takes a fifth of a second where
/// the answer is no.
[[nodiscard]] Access try_overlapping_launches(const Device& device);

}  // namespace halocline::device::cuda

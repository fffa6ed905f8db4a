// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/backend.hpp"
#include "device/cuda/device.hpp"

namespace halocline::device::cuda {

/// Enqueues a kernel that waits for a flag, then one in another stream that signals it. Takes a fifth of a second if
/// the answer is no.
[[nodiscard]] Verdict try_overlapping_launches(const Device& device);

/// Enqueues a kernel that waits for flags, and another one after it in the same stream; then kernels in three other
/// streams that signal the flags. False if, twice in a row, one of these shares a hardware queue with the first stream
/// and is therefore blocked by the waiting kernel. That takes two fifths of a second.
[[nodiscard]] bool try_independent_streams(const Device& device);

}  // namespace halocline::device::cuda

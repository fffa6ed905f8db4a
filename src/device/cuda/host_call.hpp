// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "device/cuda/failures.hpp"

namespace halocline::device::cuda {

/// Enqueues a host function; a captured one is called at each launch of the graph. It is not called once the backend
/// has failed. An exception that it throws becomes the backend's failure.
void launch_host_call(cudaStream_t stream, Failures& failures, int device, std::function<void()> function);

}  // namespace halocline::device::cuda

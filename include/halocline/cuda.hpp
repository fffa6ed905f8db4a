// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/devices.hpp"
#include "halocline/stream.hpp"

// CUDA's handles of Halocline's objects, for files that CUDA's compiler reads or that include <cuda_runtime_api.h>. The type is
// declared as CUDA declares it, so that this header needs no toolkit.
struct CUstream_st;

namespace halocline {

/// The stream that kernels are launched in: kernel<<<grid, block, 0, cuda_stream(s)>>>(...). Null, CUDA's default stream, for a
/// stream of host devices.
[[nodiscard]] inline CUstream_st* cuda_stream(const Stream& stream) {
  return static_cast<CUstream_st*>(stream.native());
}

}  // namespace halocline

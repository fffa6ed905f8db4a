// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When a kernel may be launched before the preceding kernel has ended (programmatic dependent launch). This file uses
// no CUDA.
namespace halocline::device::cuda {

/// Whether fused_kernel.cu, compiled from PTX of this version (cudaFuncAttributes::ptxVersion, 80 for compute_80), contains
/// the wait for the end of the preceding kernel. Without that wait it must not be launched early, on any GPU.
[[nodiscard]] constexpr bool waits_for_previous_kernel(int ptx_version) { return ptx_version >= 90; }

}  // namespace halocline::device::cuda

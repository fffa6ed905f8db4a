// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When a kernel may be launched before the kernel in front of it has ended (programmatic dependent launch). No CUDA in here.
namespace halocline::device::cuda {

/// Whether fused_kernel.cu, compiled from PTX of this version (cudaFuncAttributes::ptxVersion, 80 for compute_80), contains
/// the wait for the end of the kernel before it. Without that wait it must not be launched early, on whatever GPU.
[[nodiscard]] constexpr bool waits_for_previous_kernel(int ptx_version) { return ptx_version >= 90; }

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

// Messages for users: why a GPU or a driver cannot be used. This file uses no CUDA.
namespace halocline::device::cuda {

/// "12.4" for 12040, which is how CUDA encodes versions.
[[nodiscard]] std::string cuda_version_text(int version);

/// driver: of the kernel module, empty where unknown; supports: the newest CUDA that it knows, 0 where there is no driver;
/// built_with: the runtime of this build, which any driver of the same major version serves.
[[nodiscard]] std::string old_driver_text(const std::string& driver, int supports, int built_with);

/// architectures: what this build was compiled for, "80, 90".
[[nodiscard]] std::string no_kernel_text(const std::string& gpu, int major, int minor,
                                         const std::string& architectures);

/// Where the driver would have to compile the kernels for the GPU and is older than their PTX. supports, built_with: as
/// above.
[[nodiscard]] std::string new_ptx_text(const std::string& gpu, int major, int minor, const std::string& architectures,
                                       int supports, int built_with);

}  // namespace halocline::device::cuda

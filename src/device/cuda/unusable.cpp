// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/unusable.hpp"

#include <fmt/format.h>

namespace halocline::device::cuda {

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string old_driver_text(const std::string& driver, int supports, int built_with) {
  const std::string needed = fmt::format("needed is a driver for CUDA {}.0 or newer (this build has CUDA {})",
                                         built_with / 1000, cuda_version_text(built_with));
  if (supports == 0) return "no CUDA driver was found; " + needed;
  return fmt::format("the CUDA driver{}{} supports CUDA {}; {}", driver.empty() ? "" : " ", driver,
                     cuda_version_text(supports), needed);
}

std::string no_kernel_text(const std::string& gpu, int major, int minor, const std::string& architectures) {
  return fmt::format(
      "{} has compute capability {}.{}, for which this build has no kernels: it has those for {}; allowed is a build "
      "whose CMAKE_CUDA_ARCHITECTURES include {}{}",
      gpu, major, minor, architectures, major, minor);
}

std::string new_ptx_text(const std::string& gpu, int major, int minor, const std::string& architectures, int supports,
                         int built_with) {
  const std::string version = cuda_version_text(built_with);
  return fmt::format(
      "{} has compute capability {}.{}, for which this build has PTX alone, of CUDA {}: it has machine code for {}, "
      "and "
      "the driver compiles PTX up to CUDA {}; allowed is a driver for CUDA {} or newer, or a build whose "
      "CMAKE_CUDA_ARCHITECTURES include {}{}",
      gpu, major, minor, version, architectures, cuda_version_text(supports), version, major, minor);
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The messages for drivers that are too old and for GPUs that were not compiled for.
#include "device/cuda/unusable.hpp"

#include <gtest/gtest.h>

namespace halocline::device::cuda {
namespace {

TEST(UnusableGpus, AnOldDriverIsNamedWithWhatIsNeeded) {
  EXPECT_EQ(
      old_driver_text("535.161.08", 12020, 13000),
      "the CUDA driver 535.161.08 supports CUDA 12.2; needed is a driver for CUDA 13.0 or newer (this build has CUDA "
      "13.0)");
  EXPECT_EQ(old_driver_text("", 11080, 12090),
            "the CUDA driver supports CUDA 11.8; needed is a driver for CUDA 12.0 or newer (this build has CUDA 12.9)");
  EXPECT_EQ(old_driver_text("", 0, 12050),
            "no CUDA driver was found; needed is a driver for CUDA 12.0 or newer (this build has CUDA 12.5)");
}

TEST(UnusableGpus, AGpuWithoutKernelsIsNamedWithWhatThereIs) {
  EXPECT_EQ(
      no_kernel_text("GPU 1 (Tesla T4)", 7, 5, "80, 90"),
      "GPU 1 (Tesla T4) has compute capability 7.5, for which this build has no kernels: it has those for 80, 90; "
      "allowed is a build whose CMAKE_CUDA_ARCHITECTURES include 75");
}

TEST(UnusableGpus, ADriverThatIsOlderThanThePtxIsNamedWithBothVersions) {
  EXPECT_EQ(
      new_ptx_text("GPU 0 (NVIDIA B300)", 10, 3, "80, 90", 12040, 12090),
      "GPU 0 (NVIDIA B300) has compute capability 10.3, for which this build has PTX alone, of CUDA 12.9: it has "
      "machine code for 80, 90, and the driver compiles PTX up to CUDA 12.4; allowed is a driver for CUDA 12.9 or "
      "newer, or a build whose CMAKE_CUDA_ARCHITECTURES include 103");
}

}  // namespace
}  // namespace halocline::device::cuda

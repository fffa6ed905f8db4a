// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend on machines without a GPU, and in builds without CUDA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/cuda_backend.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {
namespace {

using ::testing::AnyOf;
using ::testing::StartsWith;

TEST(CudaAbsence, IsACapabilityErrorThatSaysWhatIsMissing) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "there are GPUs";
  EXPECT_THAT(
      thrown([] { (void)make_cuda_backend({}); }),
      AnyOf(StartsWith("capability: no CUDA driver was found"), StartsWith("capability: no GPU was found"),
            StartsWith("capability: the CUDA driver"),
            "capability: the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON (pip: the wheel "
            "halocline-cuda, or the sources with CMAKE_ARGS=-DHALOCLINE_CUDA=ON), or choose host devices"));
}

TEST(CudaAbsence, HasNoSharingToTell) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "there are GPUs";
  const std::string error = thrown([] { (void)make_cuda_backend({}); });
  if (error.find("not in this build") == std::string::npos) GTEST_SKIP() << "CUDA is in this build";
  EXPECT_EQ(thrown([] { (void)gpu_sharing(0); }),
            "capability: the CUDA backend is not in this build: configure with -DHALOCLINE_CUDA=ON");
}

}  // namespace
}  // namespace halocline::device::test

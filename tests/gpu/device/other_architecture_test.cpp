// SPDX-License-Identifier: BSD-3-Clause
// A program whose kernels for flags are machine code of compute capability 7.5 alone, on GPUs that cannot run it.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"

namespace halocline::device::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GpuOfAnotherArchitecture, IsNamedWithWhatIsNeeded) {
  if (const std::string why = missing_gpus(1); !why.empty()) GTEST_SKIP() << why;
  int major = 0;
  int minor = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
  if (major == 7 && minor >= 5) GTEST_SKIP() << "the GPU runs machine code of compute capability 7.5";
  const std::string text = thrown([] { (void)make_cuda_backend({}); });
  EXPECT_THAT(text, StartsWith(fmt::format("capability: GPU 0 ({}) has compute capability {}.{}, for which this build "
                                           "has no kernels: it has those for ",
                                           cuda_devices()[0].name, major, minor)));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("; allowed is a build whose CMAKE_CUDA_ARCHITECTURES include {}{}", major, minor)));
  // CUDA stays usable for the rest of the program.
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
}  // namespace halocline::device::test

// SPDX-License-Identifier: BSD-3-Clause
// What setting a GPU up comes to where the driver is too old, the build has no kernels for the GPU, or its memory is full.
#include <memory>
#include <string>

#include "device/cuda/device.hpp"
#include "device/cuda/discovery.hpp"
#include "device/cuda_backend.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_runtime.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;

class Gpu : public FakeCuda {};

TEST_F(Gpu, IsGivenBackWithAllThatWasMade) {
  for (const bool pools : {true, false}) {
    fake.has_pools = pools;
    {
      Device device(0);
      EXPECT_EQ(device.info().name, "Fake GPU");
      constexpr std::size_t large = TableMemory::slab_bytes + 1;
      device.tables().free(device.tables().allocate(large, device.aside()), device.aside());
      EXPECT_EQ(fake.count("cudaMemPoolCreate"), 1) << "where there are pools";
    }
    EXPECT_TRUE(fake.live.empty());
    EXPECT_EQ(fake.last_error, cudaSuccess);
  }
}

TEST_F(Gpu, WithoutMemoryIsAResourceErrorAndLeavesNothingBehind) {
  for (const bool pools : {true, false}) {
    fake.has_pools = pools;
    for (const char* function : {"cudaMalloc", "cudaHostAlloc"}) {
      fake.failing = {{function, cudaErrorMemoryAllocation}};
      EXPECT_EQ(error_of<ResourceError>([] { const Device device(0); }),
                std::string(function) + ": out of memory (cudaErrorMemoryAllocation)");
      EXPECT_TRUE(fake.live.empty()) << function;
    }
  }
}

TEST_F(Gpu, ThatTheBuildHasNoKernelsForIsNamedWithWhatThereIs) {
  fake.major = 6;
  fake.minor = 1;
  for (const cudaError_t error : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction}) {
    fake.loading = error;
    EXPECT_EQ(error_of<CapabilityError>([] { const Device device(0); }),
              "GPU 0 (Fake GPU) has compute capability 6.1, for which this build has no kernels: it has those for 80, "
              "90; allowed is a build whose CMAKE_CUDA_ARCHITECTURES include 61");
    EXPECT_EQ(fake.last_error, cudaSuccess);
    EXPECT_TRUE(fake.live.empty());
  }
}

TEST_F(Gpu, WhoseDriverCannotCompileTheKernelsIsNamedWithBothVersions) {
  fake.major = 12;
  fake.driver_version = 12040;
  fake.runtime_version = 12090;
  fake.loading = cudaErrorUnsupportedPtxVersion;
  EXPECT_EQ(
      error_of<CapabilityError>([] { const Device device(0); }),
      "GPU 0 (Fake GPU) has compute capability 12.0, for which this build has PTX alone, of CUDA 12.9: it has "
      "machine code for 80, 90, and the driver compiles PTX up to CUDA 12.4; allowed is a driver for CUDA 12.9 or "
      "newer, or a build whose CMAKE_CUDA_ARCHITECTURES include 120");
  EXPECT_EQ(fake.last_error, cudaSuccess);
}

TEST_F(Gpu, WhoseKernelsFailToLoadOtherwiseIsADeviceError) {
  fake.loading = cudaErrorLaunchFailure;
  EXPECT_EQ(error_of<DeviceError>([] { const Device device(0); }),
            "loading the kernels for flags: a description (cudaErrorLaunchFailure)");
}

TEST_F(Gpu, ThatCannotBeMadeCurrentIsNotTakenForAnother) {
  fake.switching = CUDA_ERROR_UNKNOWN;
  const std::string text = error_of<DeviceError>([] { const Device device(0); });
  EXPECT_TRUE(text.starts_with("cuCtxSetCurrent: an error of the fake driver")) << text;
  EXPECT_TRUE(fake.live.empty());
}

TEST_F(Gpu, ThatCannotBeMadeCurrentIsGivenUpWithoutAnException) {
  auto device = std::make_unique<Device>(0);
  fake.switching = CUDA_ERROR_UNKNOWN;
  device.reset();
  EXPECT_TRUE(fake.live.empty());
}

TEST_F(Gpu, WithAnOldDriverIsNotCounted) {
  fake.device_count = cudaErrorInsufficientDriver;
  fake.driver_version = 12020;
  const std::string text = error_of<CapabilityError>([] { (void)count_devices(); });
  EXPECT_TRUE(text.starts_with("the CUDA driver")) << text;
  EXPECT_TRUE(
      text.ends_with(" supports CUDA 12.2; needed is a driver for CUDA 13.0 or newer (this build has CUDA 13.0)"))
      << text;
  EXPECT_EQ(fake.last_error, cudaSuccess);
  EXPECT_EQ(find_gpus().warning, text);

  fake.driver_version = 0;
  EXPECT_EQ(error_of<CapabilityError>([] { (void)count_devices(); }),
            "no CUDA driver was found; needed is a driver for CUDA 13.0 or newer (this build has CUDA 13.0)");
  EXPECT_EQ(find_gpus().warning, "");

  fake.device_count = cudaErrorNoDevice;
  EXPECT_EQ(error_of<CapabilityError>([] { (void)count_devices(); }),
            "no GPU was found: a description (cudaErrorNoDevice)");
  const FoundGpus found = find_gpus();
  EXPECT_EQ(found.warning, "");
  EXPECT_EQ(error_of<CapabilityError>([&] { std::rethrow_exception(found.failure); }),
            "no GPU was found: a description (cudaErrorNoDevice)");
  EXPECT_EQ(fake.last_error, cudaSuccess);
}

TEST_F(Gpu, WhoseDriverFailsOnceIsNotFoundWithItsReason) {
  fake.device_count = cudaErrorUnknown;
  const FoundGpus found = find_gpus();
  fake.device_count = cudaSuccess;
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(error_of<CapabilityError>([&] { std::rethrow_exception(found.failure); }),
            "no GPU was found: a description (cudaErrorUnknown)");
  EXPECT_EQ(found.warning, "no GPU was found: a description (cudaErrorUnknown)");
}

}  // namespace
}  // namespace halocline::device::cuda::test

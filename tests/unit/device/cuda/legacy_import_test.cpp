// SPDX-License-Identifier: BSD-3-Clause
// Memory of other processes by legacy handles: each handle is open once, for as long as one uses it.
#include "device/cuda/legacy_import.hpp"

#include <gmock/gmock.h>

#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_runtime.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;

class MemoryByHandles : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    device = std::make_unique<Device>(0);
  }
  void TearDown() override {
    EXPECT_EQ(fake.count("cudaIpcCloseMemHandle"), fake.count("cudaIpcOpenMemHandle"));
    device.reset();
    FakeCuda::TearDown();
  }
  [[nodiscard]] ExportedMemory exported(unsigned char handle) const {
    ExportedMemory memory = exported_of(*device, nullptr, 64, 64);
    memory.handle[0] = handle;
    return memory;
  }

  std::unique_ptr<Device> device;
};

TEST_F(MemoryByHandles, IsOpenedOnceForAllThatUseIt) {
  auto first = import_by_handle(*device, exported(1));
  auto again = import_by_handle(*device, exported(1));
  const auto second = import_by_handle(*device, exported(2));
  EXPECT_EQ(first, again);
  EXPECT_NE(first->data(), second->data());
  EXPECT_EQ(fake.count("cudaIpcOpenMemHandle"), 2);
  first.reset();
  EXPECT_EQ(fake.count("cudaIpcCloseMemHandle"), 0);
  again.reset();
  EXPECT_EQ(fake.count("cudaIpcCloseMemHandle"), 1);
  first = import_by_handle(*device, exported(1));
  EXPECT_EQ(fake.count("cudaIpcOpenMemHandle"), 3) << "anew";
}

TEST_F(MemoryByHandles, ThatCannotBeOpenedIsTriedAgain) {
  fake.failing["cudaIpcOpenMemHandle"] = cudaErrorNotSupported;
  EXPECT_EQ(error_of<DeviceError>([&] { static_cast<void>(import_by_handle(*device, exported(1))); }),
            "cudaIpcOpenMemHandle: a description (cudaErrorNotSupported)");
  fake.failing.clear();
  fake.called.clear();
  EXPECT_NE(import_by_handle(*device, exported(1)), nullptr);
}

}  // namespace
}  // namespace halocline::device::cuda::test

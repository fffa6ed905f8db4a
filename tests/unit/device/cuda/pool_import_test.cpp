// SPDX-License-Identifier: BSD-3-Clause
// Memory of other processes' pools: imported once, freed before its pool, with no descriptor left open.
#include "device/cuda/pool_import.hpp"

#include <gmock/gmock.h>

#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_memory.hpp"
#include "unit/device/cuda/fake_runtime.hpp"
#include "unit/device/cuda/open_descriptors.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;
using testing::ElementsAre;

class MemoryOfPools : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    device = std::make_unique<Device>(0);
    descriptors = open_descriptors();
    live = fake.live.size();
    fake.called.clear();
  }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(fake.live.size(), live) << "nothing of other processes is left";
    device.reset();
    FakeCuda::TearDown();
  }
  [[nodiscard]] ExportedMemory exported(std::uint64_t process, const OwnDescriptor& pool, std::uint64_t address) const {
    ExportedMemory memory = exported_of(*device, nullptr, 64, 64);
    memory.kind = ExportKind::pool;
    memory.process = process;
    memory.pool = number_in(pool.get());
    memory.address = address;
    memory.owner = handle_of_descriptor(pool.get());
    std::memcpy(memory.handle.data(), &address, sizeof address);
    return memory;
  }

  std::unique_ptr<Device> device;
  std::ptrdiff_t descriptors = 0;
  std::size_t live = 0;
};

TEST_F(MemoryOfPools, IsFreedBeforeItsPool) {
  {
    const OwnDescriptor pool(descriptor_of(7));
    const auto memory = import_from_pool(*device, exported(1, pool, 100));
    EXPECT_THAT(fake.imported, ElementsAre(7, 100));
    EXPECT_EQ(fake.live.at(memory->data()), "cudaMemPoolImportPointer");
    EXPECT_EQ(open_descriptors(), descriptors + 1) << "the exporter's alone";
  }
  EXPECT_THAT(fake.called, ElementsAre("cudaMemPoolImportFromShareableHandle", "cudaMemPoolSetAccess",
                                       "cudaMemPoolImportPointer", "cudaFree", "cudaMemPoolDestroy"));
}

TEST_F(MemoryOfPools, IsImportedOnceForAllThatUseIt) {
  const OwnDescriptor pool(descriptor_of(7));
  auto first = import_from_pool(*device, exported(1, pool, 100));
  auto again = import_from_pool(*device, exported(1, pool, 100));
  auto second = import_from_pool(*device, exported(1, pool, 200));
  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
  EXPECT_THAT(fake.imported, ElementsAre(7, 100, 200));
  EXPECT_EQ(fake.count("cudaMemPoolSetAccess"), 3) << "for each device that asks";
  first.reset();
  EXPECT_EQ(fake.count("cudaFree"), 0);
  again.reset();
  EXPECT_EQ(fake.count("cudaFree"), 1);
  EXPECT_EQ(fake.count("cudaMemPoolDestroy"), 0) << "another allocation of the pool is in use";
  second.reset();
  EXPECT_EQ(fake.count("cudaMemPoolDestroy"), 1);
  second = import_from_pool(*device, exported(1, pool, 200));
  EXPECT_THAT(fake.imported, ElementsAre(7, 100, 200, 7, 200)) << "anew";
  second.reset();
  EXPECT_EQ(open_descriptors(), descriptors + 1);
}

TEST_F(MemoryOfPools, OfTwoProcessesIsOfTwoPools) {
  const OwnDescriptor pool(descriptor_of(7));
  const auto one = import_from_pool(*device, exported(1, pool, 100));
  const auto other = import_from_pool(*device, exported(2, pool, 100));
  EXPECT_NE(one, other);
  EXPECT_THAT(fake.imported, ElementsAre(7, 100, 7, 100));
}

TEST_F(MemoryOfPools, LeavesNothingBehindWhereACallFails) {
  const OwnDescriptor pool(descriptor_of(7));
  for (const char* function :
       {"cudaMemPoolImportFromShareableHandle", "cudaMemPoolSetAccess", "cudaMemPoolImportPointer"}) {
    fake.failing = {{function, cudaErrorNotSupported}};
    EXPECT_EQ(error_of<DeviceError>([&] { static_cast<void>(import_from_pool(*device, exported(1, pool, 100))); }),
              std::string(function) + ": a description (cudaErrorNotSupported)");
    EXPECT_EQ(fake.live.size(), live);
    EXPECT_EQ(open_descriptors(), descriptors + 1);
    EXPECT_EQ(fake.last_error, cudaSuccess);
  }
  fake.failing.clear();
  EXPECT_NE(import_from_pool(*device, exported(1, pool, 100)), nullptr) << "a failure is not kept";
}

TEST_F(MemoryOfPools, OfADescriptorThatItsOwnerHasNotIsRefused) {
  const OwnDescriptor pool(descriptor_of(7));
  ExportedMemory memory = exported(1, pool, 100);
  memory.owner.fd = 1 << 20;
  EXPECT_THROW(static_cast<void>(import_from_pool(*device, memory)), CapabilityError);
}

}  // namespace
}  // namespace halocline::device::cuda::test

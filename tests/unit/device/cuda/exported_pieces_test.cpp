// SPDX-License-Identifier: BSD-3-Clause
// Physical memory in pieces: how it is exported, imported and mapped back to back, and that nothing stays behind wherever it fails.
#include <gmock/gmock.h>

#include <vector>

#include "device/cuda/physical_memory.hpp"
#include "device/cuda/virtual_memory.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_memory.hpp"
#include "unit/device/cuda/fake_runtime.hpp"
#include "unit/device/cuda/open_descriptors.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;
using testing::ElementsAre;

class Pieces : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    descriptors = open_descriptors();
  }
  static std::vector<PhysicalMemory> create(const Device& device, const std::vector<std::size_t>& bytes) {
    std::vector<PhysicalMemory> pieces;
    for (const std::size_t of_one : bytes) pieces.push_back(PhysicalMemory::create(device, of_one, ExportKind::fd));
    return pieces;
  }
  /// What another process gets.
  static std::vector<ExportedMemory> describe(const Device& device, const std::vector<PhysicalMemory>& pieces,
                                              const ExportedPieces& exported) {
    std::vector<ExportedMemory> described;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      described.push_back(exported_of(device, nullptr, pieces[i].bytes(), pieces[i].bytes()));
      exported.describe(i, described.back());
    }
    return described;
  }
  static std::vector<PhysicalMemory> import(const std::vector<ExportedMemory>& described) {
    std::vector<PhysicalMemory> pieces;
    for (const ExportedMemory& one : described) pieces.push_back(PhysicalMemory::import(one));
    return pieces;
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(memory.physical.empty());
    EXPECT_TRUE(memory.mapped.empty());
    EXPECT_TRUE(memory.reserved.empty());
    EXPECT_EQ(open_descriptors(), descriptors);
  }

  FakeMemory& memory = fake_memory();
  std::ptrdiff_t descriptors = 0;
};

TEST_F(Pieces, AreWholePagesAtLeastOne) {
  const Device device(0);
  for (const std::size_t bytes : {0u, 1u, 4096u}) {
    EXPECT_EQ(PhysicalMemory::create(device, bytes, ExportKind::fd).bytes(), 4096u);
  }
  EXPECT_EQ(PhysicalMemory::create(device, 4097, ExportKind::fd).bytes(), 8192u);
  EXPECT_THROW(static_cast<void>(PhysicalMemory::create(device, ~std::size_t{0}, ExportKind::fd)), DriverError);
  expect_nothing_left();
}

TEST_F(Pieces, AreMappedBackToBackInTheirOrder) {
  const Device device(0);
  {
    const std::vector<PhysicalMemory> mine = create(device, {8192, 4096, 12288});
    const ExportedPieces exported(mine, ExportKind::fd);
    EXPECT_EQ(open_descriptors(), descriptors + 3);
    const VirtualMemory mapped(import(describe(device, mine, exported)));
    EXPECT_EQ(open_descriptors(), descriptors + 3) << "what was taken is closed";
    EXPECT_EQ(mapped.bytes(), 24576u);
    const auto first = reinterpret_cast<CUdeviceptr>(mapped.data());
    EXPECT_EQ(memory.mapped.at(first).memory, mine[0].get());
    EXPECT_EQ(memory.mapped.at(first + 8192).memory, mine[1].get());
    EXPECT_EQ(memory.mapped.at(first + 12288).memory, mine[2].get());
    EXPECT_EQ(memory.mapped.size(), 3u);
    allow_access(mapped.data(), mapped.bytes(), 0);
    EXPECT_EQ(memory.accessible.at(first), 24576u);
    memory.called.clear();
  }
  EXPECT_THAT(memory.called,
              ElementsAre("cuMemUnmap", "cuMemUnmap", "cuMemUnmap", "cuMemAddressFree", "cuMemRelease", "cuMemRelease",
                          "cuMemRelease", "cuMemRelease", "cuMemRelease", "cuMemRelease"));
  expect_nothing_left();
}

TEST_F(Pieces, StayMappedWhenTheirOwnerReleasesThem) {
  const Device device(0);
  {
    std::vector<PhysicalMemory> mine = create(device, {4096, 4096});
    const VirtualMemory mapped(import(describe(device, mine, ExportedPieces(mine, ExportKind::fd))));
    mine.clear();
    EXPECT_EQ(memory.physical.size(), 2u);
  }
  expect_nothing_left();
}

TEST_F(Pieces, LeaveNothingBehindWhereOneFails) {
  const Device device(0);
  for (const char* function :
       {"cuMemExportToShareableHandle", "cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap"}) {
    for (const int nth : {1, 2, 3}) {
      if (nth > 1 && std::string(function) == "cuMemAddressReserve") continue;
      memory.failing = {{function, nth}};
      EXPECT_EQ(error_of<DriverError>([&] {
                  const std::vector<PhysicalMemory> mine = create(device, {4096, 8192, 4096});
                  const ExportedPieces exported(mine, ExportKind::fd);
                  const VirtualMemory mapped(import(describe(device, mine, exported)));
                }),
                std::string(function) + ": an error of the fake driver (an error of the fake driver)");
      expect_nothing_left();
    }
  }
}

TEST_F(Pieces, OfADescriptorThatTheirOwnerHasNotAreRefused) {
  const Device device(0);
  ExportedMemory described = exported_of(device, nullptr, 4096, 4096);
  described.kind = ExportKind::fd;
  described.owner = handle_of_descriptor(1 << 20);
  EXPECT_THROW(static_cast<void>(PhysicalMemory::import(described)), CapabilityError);
  expect_nothing_left();
}

TEST_F(Pieces, ByFabricHandlesNeedNoDescriptors) {
  const Device device(0);
  {
    std::vector<PhysicalMemory> mine;
    for (int i = 0; i < 2; ++i) mine.push_back(PhysicalMemory::create(device, 4096, ExportKind::fabric));
    const ExportedPieces exported(mine, ExportKind::fabric);
    EXPECT_EQ(open_descriptors(), descriptors);
    const VirtualMemory mapped(import(describe(device, mine, exported)));
    EXPECT_EQ(mapped.pieces()[1].get(), mine[1].get());
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace halocline::device::cuda::test

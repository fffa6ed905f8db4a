// SPDX-License-Identifier: BSD-3-Clause
// Which memory of a user can be exported, what of it is, and the reasons where it cannot.
#include "device/cuda/user_memory.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "device/cuda/exported_memory.hpp"
#include "device/cuda/physical_memory.hpp"
#include "device/detail/exported.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "unit/device/cuda/fake_memory.hpp"
#include "unit/device/cuda/fake_runtime.hpp"
#include "unit/device/cuda/open_descriptors.hpp"

namespace halocline::device::cuda::test {
namespace {

using halocline::test::error_of;
using testing::EndsWith;
using testing::HasSubstr;

constexpr CUdeviceptr base = 0x10'0000;
constexpr std::size_t piece = 8192;
constexpr unsigned fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr unsigned fabric = CU_MEM_HANDLE_TYPE_FABRIC;

class UsersMemory : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    device = std::make_unique<Device>(0);
    descriptors = open_descriptors();
  }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors) << "all descriptors are closed";
    for (const auto& [handle, physical] : memory.physical) EXPECT_EQ(physical.references, 0) << "nothing is retained";
    device.reset();
    FakeCuda::TearDown();
  }
  static const std::byte* at(CUdeviceptr address) { return reinterpret_cast<const std::byte*>(address); }
  [[nodiscard]] ExportedRange export_as(MemoryKind kind, CUdeviceptr first, std::size_t bytes) const {
    return export_user_memory(*device, kind, at(first), bytes);
  }
  [[nodiscard]] std::string refusal(MemoryKind kind, CUdeviceptr first, std::size_t bytes) const {
    return error_of<CapabilityError>([&] { static_cast<void>(export_as(kind, first, bytes)); });
  }
  /// Pieces back to back from `base`.
  std::vector<CUmemGenericAllocationHandle> map_pieces(std::size_t count, unsigned types = fd) {
    std::vector<CUmemGenericAllocationHandle> handles;
    for (std::size_t i = 0; i < count; ++i) handles.push_back(memory.map(base + i * piece, piece, types));
    return handles;
  }
  static ExportedMemory opened(const ExportedRange& range, std::size_t i) {
    return unpack<ExportedMemory>(range.pieces.at(i));
  }

  FakeMemory& memory = fake_memory();
  std::unique_ptr<Device> device;
  std::ptrdiff_t descriptors = 0;
};

TEST_F(UsersMemory, InVirtualMemoryIsExportedWithThePiecesThatItLiesIn) {
  const auto handles = map_pieces(5);
  const ExportedRange range = export_as(MemoryKind::mapped, base + piece + 100, 2 * piece);
  ASSERT_EQ(range.pieces.size(), 3u) << "from the middle of one to the middle of another";
  EXPECT_EQ(range.offset, 100u);
  EXPECT_EQ(open_descriptors(), descriptors + 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const ExportedMemory exported = opened(range, i);
    EXPECT_EQ(exported.kind, ExportKind::fd);
    EXPECT_EQ(exported.of_user, 1u);
    EXPECT_EQ(exported.address, base + (i + 1) * piece);
    EXPECT_EQ(exported.allocated, piece);
    EXPECT_EQ(number_in(exported.owner.fd), handles[i + 1]);
  }
}

TEST_F(UsersMemory, InVirtualMemoryEndsWithItsLastByte) {
  map_pieces(3);
  EXPECT_EQ(export_as(MemoryKind::mapped, base, piece).pieces.size(), 1u);
  EXPECT_EQ(export_as(MemoryKind::mapped, base, piece + 1).pieces.size(), 2u);
  EXPECT_EQ(export_as(MemoryKind::mapped, base + piece - 1, piece + 1).pieces.size(), 2u);
  EXPECT_EQ(export_as(MemoryKind::mapped, base + piece - 1, piece + 1).offset, piece - 1);
}

TEST_F(UsersMemory, InPiecesOfSeveralSizesIsExported) {
  memory.map(base, piece);
  memory.map(base + piece, 3 * piece);
  const ExportedRange range = export_as(MemoryKind::mapped, base + 8, 4 * piece - 8);
  ASSERT_EQ(range.pieces.size(), 2u);
  EXPECT_EQ(opened(range, 1).allocated, 3 * piece);
}

TEST_F(UsersMemory, GoesByFabricHandlesWhereThePiecesHaveThemAndTheyWork) {
  map_pieces(2, fabric | fd);
  EXPECT_EQ(opened(export_as(MemoryKind::mapped, base, 2 * piece), 1).kind, ExportKind::fabric);
  memory.failing["fabric"] = 1;
  EXPECT_EQ(opened(export_as(MemoryKind::mapped, base, 2 * piece), 1).kind, ExportKind::fd);
}

TEST_F(UsersMemory, InVirtualMemoryIsRefusedWithTheReason) {
  const char* const no_handles =
      "memory of GPU-fake cannot be exported: it was created without handles for other processes; allowed are the "
      "handle types CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR and FABRIC (PyTorch: "
      "TORCH_CUDA_EXPANDABLE_SEGMENTS_IPC=1)";
  map_pieces(2);
  memory.map(base + 2 * piece, piece, 0);
  EXPECT_THAT(refusal(MemoryKind::mapped, base, 3 * piece), EndsWith(std::string(no_handles).substr(18)));
  EXPECT_EQ(export_as(MemoryKind::mapped, base, 2 * piece).pieces.size(), 2u) << "without that piece";

  memory.map(base + 3 * piece, piece, fd, 1);
  EXPECT_THAT(refusal(MemoryKind::mapped, base + 3 * piece, piece),
              EndsWith("some of its physical memory is not of this device"));
  EXPECT_THAT(refusal(MemoryKind::mapped, base + 3 * piece, 2 * piece), EndsWith("its piece 1 is mapped in a way "
                                                                                 "unknown here"))
      << "it ends behind the mapped memory";
}

TEST_F(UsersMemory, InMoreThanTheMostPiecesIsRefused) {
  map_pieces(most_exported_pieces + 1);
  EXPECT_EQ(export_as(MemoryKind::mapped, base + 1, most_exported_pieces * piece - 1).pieces.size(),
            most_exported_pieces);
  EXPECT_THAT(refusal(MemoryKind::mapped, base + 1, most_exported_pieces * piece),
              EndsWith("the array lies in more than 512 pieces of physical memory, of 8192 bytes the first; allowed "
                       "are 512 or fewer"));
}

/// The attributes of an address are compared with what retaining it gives.
TEST_F(UsersMemory, IsRefusedWhereTheDriverReportsSeveralPiecesAsOne) {
  map_pieces(2);
  memory.reported_bytes = 2 * piece;
  EXPECT_THAT(refusal(MemoryKind::mapped, base, 2 * piece),
              EndsWith("its piece 0 of 16384 bytes begins and ends in different memory"));
}

TEST_F(UsersMemory, WhoseDriverFailsIsRefused) {
  map_pieces(3);
  for (const int nth : {1, 2, 3}) {
    memory.failing = {{"cuMemExportToShareableHandle", nth}};
    EXPECT_THAT(refusal(MemoryKind::mapped, base, 3 * piece),
                HasSubstr("by file descriptors: cuMemExportToShareableHandle: an error"));
    memory.failing = {{"cuMemRetainAllocationHandle", nth}};
    EXPECT_THAT(refusal(MemoryKind::mapped, base, 3 * piece), HasSubstr("cuMemRetainAllocationHandle: an error"));
  }
}

TEST_F(UsersMemory, OfCudaMallocIsExportedWithItsAllocation) {
  memory.allocated[base] = {3 * piece, nullptr};
  const ExportedRange range = export_as(MemoryKind::device, base + 512, piece);
  ASSERT_EQ(range.pieces.size(), 1u);
  EXPECT_EQ(range.offset, 512u);
  const ExportedMemory exported = opened(range, 0);
  EXPECT_EQ(exported.kind, ExportKind::ipc);
  EXPECT_EQ(exported.address, base);
  EXPECT_EQ(exported.bytes, 3 * piece);
  EXPECT_EQ(0, std::memcmp(exported.handle.data(), &base, sizeof base)) << "the handle is the allocation's";

  EXPECT_THAT(
      refusal(MemoryKind::device, base + piece, 2 * piece + 1),
      EndsWith("the array has 16385 bytes, and its allocation ends 16384 bytes after the array's begin; allowed "
               "are arrays in one allocation"));
  fake.failing["cudaIpcGetMemHandle"] = cudaErrorNotSupported;
  EXPECT_THAT(refusal(MemoryKind::device, base, 1),
              EndsWith("cudaIpcGetMemHandle: a description (cudaErrorNotSupported)"));
  EXPECT_EQ(fake.last_error, cudaSuccess);
}

TEST_F(UsersMemory, OfAPoolIsExportedWithThePoolsDescriptor) {
  const auto pool = reinterpret_cast<CUmemoryPool>(std::uintptr_t{0x77});
  memory.allocated[base] = {2 * piece, pool};
  const ExportedRange range = export_as(MemoryKind::pool, base + 64, piece);
  ASSERT_EQ(range.pieces.size(), 1u);
  EXPECT_EQ(range.offset, 64u);
  const ExportedMemory exported = opened(range, 0);
  EXPECT_EQ(exported.kind, ExportKind::pool);
  EXPECT_EQ(exported.pool, 0x77u);
  EXPECT_EQ(exported.address, base);
  EXPECT_EQ(number_in(exported.owner.fd), 0x77u);
  EXPECT_EQ(0, std::memcmp(exported.handle.data(), &base, sizeof base)) << "the allocation's begin is exported";
}

TEST_F(UsersMemory, OfAPoolWithoutHandlesIsRefusedWithWhatIsAllowed) {
  memory.allocated[base] = {piece, reinterpret_cast<CUmemoryPool>(std::uintptr_t{0x77})};
  for (const char* function : {"cudaMemPoolExportToShareableHandle", "cudaMemPoolExportPointer"}) {
    fake.failing = {{function, cudaErrorNotSupported}};
    EXPECT_THAT(refusal(MemoryKind::pool, base, piece),
                EndsWith(std::string(function) +
                         ": a description (cudaErrorNotSupported); allowed are memory pools with the handle type "
                         "cudaMemHandleTypePosixFileDescriptor, which CUDA's default pool has not"));
    EXPECT_EQ(fake.last_error, cudaSuccess);
  }
}

TEST_F(UsersMemory, OfOtherKindsIsRefused) {
  EXPECT_THAT(refusal(MemoryKind::managed, base, 1),
              EndsWith("it is managed memory (cudaMallocManaged); allowed is device memory"));
  EXPECT_THAT(refusal(MemoryKind::pinned, base, 1),
              EndsWith("it is pinned memory of the host; allowed is device memory"));
}

}  // namespace
}  // namespace halocline::device::cuda::test

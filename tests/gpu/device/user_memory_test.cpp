// SPDX-License-Identifier: BSD-3-Clause
// Memory that a user allocated, in the hands of another process: every kind that can be exported, and why the others cannot.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"
#include "gpu/mapped_memory.hpp"
#include "unit/device/process_support.hpp"

namespace halocline::device::test {
namespace {

using halocline::test::ExportablePool;
using halocline::test::exports_descriptors;
using halocline::test::MappedMemory;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// A range of whole words.
class GpuUsersMemory : public OneGpu {
 protected:
  void SetUp() override {
    OneGpu::SetUp();
    if (!IsSkipped() && !exports_descriptors(0)) GTEST_SKIP() << "the GPU exports no descriptors";
  }
  static std::size_t mebibytes(std::size_t n) { return n << 20; }
  static std::byte* at(void* memory, std::size_t offset) { return static_cast<std::byte*>(memory) + offset; }
  [[nodiscard]] std::uint64_t word(const std::byte* address) const {
    return read(reinterpret_cast<const std::uint64_t*>(address));
  }
  void set_word(std::byte* address, std::uint64_t value) const {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    write(address, bytes);
  }
  /// Another process, on a GPU, adds 1 to the first and the last word.
  void expect_increased_by_another(std::byte* first, std::size_t bytes, std::size_t pieces, int gpu = 0) {
    set_word(first, 10);
    set_word(first + bytes - 8, 20);
    const ExportedRange range = backend->export_range(0, first, bytes);
    EXPECT_EQ(range.pieces.size(), pieces);
    const std::string command = std::string(HALOCLINE_DEVICE_CHILD) + " increase cuda:" + std::to_string(gpu) + " " +
                                to_hex(range.pieces) + " " + std::to_string(range.offset) + " " + std::to_string(bytes);
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start the child");
    std::string text;
    std::array<char, 512> part{};
    while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
    EXPECT_EQ(::pclose(pipe), 0);
    // A process may not be traced by its child where kernel.yama.ptrace_scope is 1.
    EXPECT_THAT(text, AnyOf("now 11 21\n", HasSubstr("pidfd_getfd: Operation not permitted")));
    if (text == "now 11 21\n") {
      EXPECT_EQ(word(first), 11u);
      EXPECT_EQ(word(first + bytes - 8), 21u);
    }
  }
  [[nodiscard]] std::string refusal(const std::byte* first, std::size_t bytes) const {
    return thrown([&] { (void)backend->export_range(0, first, bytes); });
  }
};

class GpuUsersMemoryOfPairs : public GpuUsersMemory {
 protected:
  void SetUp() override {
    if (const std::string why = missing_gpus(2); !why.empty()) GTEST_SKIP() << why;
    GpuUsersMemory::SetUp();
  }
};

TEST_F(GpuUsersMemory, InSeveralPiecesIsOneRangeForAnotherProcess) {
  const MappedMemory memory(0, mebibytes(7), 4, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  const std::size_t piece = memory.piece_bytes();
  expect_increased_by_another(at(memory.data(), 0), 4 * piece, 4);
  expect_increased_by_another(at(memory.data(), piece - 4096), piece + 8192, 3);  // begins inside a piece
  expect_increased_by_another(at(memory.data(), 3 * piece + 1024), 4096, 1);
}

TEST_F(GpuUsersMemoryOfPairs, InSeveralPiecesIsOneRangeForAnotherGpu) {
  if (const Verdict access = make_cuda_backend({.devices = {0, 1}})->peer_access(1, 0); !access.yes) {
    GTEST_SKIP() << access.why_not;
  }
  const MappedMemory memory(0, mebibytes(5), 3, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  expect_increased_by_another(at(memory.data(), 256), 3 * memory.piece_bytes() - 256, 3, 1);
}

/// PyTorch frees what nothing uses by unmapping it; what others have mapped stays theirs.
TEST_F(GpuUsersMemory, StaysMappedWhenItsOwnerUnmapsIt) {
  auto memory = std::make_unique<MappedMemory>(0, mebibytes(3), 2, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  std::byte* const first = at(memory->data(), 0);
  set_word(first, 7);
  const auto other = make();
  const auto mapping = other->map_range(0, backend->export_range(0, first, 2 * memory->piece_bytes()).pieces);
  EXPECT_NE(mapping->data(), first) << "an address of its own in this process, too";
  memory.reset();
  EXPECT_EQ(word(mapping->data()), 7u);
}

TEST_F(GpuUsersMemory, WithoutHandlesIsRefused) {
  const MappedMemory memory(0, mebibytes(3));
  EXPECT_THAT(refusal(at(memory.data(), 0), 4096),
              HasSubstr("cannot be exported: it was created without handles for other processes; allowed are"));
}

TEST_F(GpuUsersMemory, OfAPoolWithDescriptorsIsIncreasedByAnotherProcess) {
  const ExportablePool pool(0);
  void* const first = pool.allocate(mebibytes(3));
  void* const second = pool.allocate(65536);
  expect_increased_by_another(at(first, 4096), mebibytes(2), 1);
  expect_increased_by_another(at(second, 512), 4096, 1);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
}

TEST_F(GpuUsersMemoryOfPairs, OfAPoolWithDescriptorsIsIncreasedByAnotherGpu) {
  const ExportablePool pool(0);
  void* const memory = pool.allocate(mebibytes(3));
  expect_increased_by_another(at(memory, 4096), mebibytes(2), 1, 1);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(GpuUsersMemory, OfTheDefaultPoolIsRefused) {
  void* memory = nullptr;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, 4096, cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_THAT(refusal(at(memory, 0), 4096),
              HasSubstr("allowed are memory pools with the handle type cudaMemHandleTypePosixFileDescriptor, which "
                        "CUDA's default pool has not"));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(GpuUsersMemory, InTheMiddleOfAnAllocationIsIncreasedByAnotherProcess) {
  void* memory = nullptr;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&memory, mebibytes(5)), cudaSuccess);
  expect_increased_by_another(at(memory, mebibytes(1) + 512), mebibytes(3), 1);
  EXPECT_THAT(refusal(at(memory, 4096), mebibytes(5)), HasSubstr("allowed are arrays in one allocation"));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(GpuUsersMemory, ThatIsManagedIsRefused) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(&memory, 4096), cudaSuccess);
  EXPECT_THAT(refusal(at(memory, 0), 4096), HasSubstr("it is managed memory (cudaMallocManaged)"));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
}  // namespace halocline::device::test

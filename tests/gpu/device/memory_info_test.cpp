// SPDX-License-Identifier: BSD-3-Clause
// The memory kinds that the backend reports for memory allocated by other means.
#include <cuda_runtime_api.h>

#include "device/cuda_backend.hpp"
#include "gpu/device/gpus.hpp"
#include "gpu/mapped_memory.hpp"

namespace halocline::device::test {
namespace {

class GpuMemoryInfo : public OneGpu {};
class GpuMemoryInfoOfPairs : public TwoGpus {};

TEST_F(GpuMemoryInfo, TellsHowMemoryWasAllocated) {
  constexpr std::size_t bytes = 1 << 20;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
    const MemoryInfo info = backend->memory_at(static_cast<std::byte*>(memory) + at);
    EXPECT_EQ(info.kind, MemoryKind::device);
    EXPECT_EQ(info.device, 0);
    EXPECT_TRUE(info.exportable);
  }
  EXPECT_EQ(cudaFree(memory), cudaSuccess);

  ASSERT_EQ(cudaMallocManaged(&memory, bytes), cudaSuccess);
  EXPECT_EQ(backend->memory_at(memory).kind, MemoryKind::managed);
  EXPECT_FALSE(backend->memory_at(memory).exportable);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);

  ASSERT_EQ(cudaMallocHost(&memory, bytes), cudaSuccess);
  EXPECT_EQ(backend->memory_at(memory).kind, MemoryKind::pinned);
  EXPECT_EQ(cudaFreeHost(memory), cudaSuccess);

  const std::vector<std::byte> plain(bytes);
  EXPECT_EQ(backend->memory_at(plain.data()).kind, MemoryKind::host);
  EXPECT_EQ(backend->memory_at(plain.data()).device, -1);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(GpuMemoryInfo, TellsThatMemoryIsOfAPool) {
  int has_pools = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0), cudaSuccess);
  if (has_pools == 0) GTEST_SKIP() << "the GPU has no memory pools";
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 4096, cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(backend->memory_at(memory).kind, MemoryKind::pool);
  EXPECT_EQ(backend->memory_at(memory).device, 0);
  EXPECT_FALSE(backend->memory_at(memory).exportable);
  EXPECT_EQ(cudaFreeAsync(memory, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
}

/// What CUDA exports of the two kinds shows that the answers are true.
TEST_F(GpuMemoryInfo, TellsThatMemoryIsMappedAndCannotBeExported) {
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  if (!halocline::test::maps_memory(0)) GTEST_SKIP() << "the GPU has no virtual memory management";
  const halocline::test::MappedMemory mapped(0, std::size_t{3} << 20);
  for (const std::size_t at : {std::size_t{0}, (std::size_t{3} << 20) - 1}) {
    const MemoryInfo info = backend->memory_at(static_cast<std::byte*>(mapped.data()) + at);
    EXPECT_EQ(info.kind, MemoryKind::mapped);
    EXPECT_EQ(info.device, 0);
    EXPECT_FALSE(info.exportable);
  }
  cudaIpcMemHandle_t handle;
  EXPECT_NE(cudaIpcGetMemHandle(&handle, mapped.data()), cudaSuccess);
  (void)cudaGetLastError();
  const auto own = backend->allocate_for_messages(0, 4096);
  EXPECT_TRUE(backend->memory_at(own->data()).exportable);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, own->data()), cudaSuccess);
}

TEST_F(GpuMemoryInfoOfPairs, TellsOfWhichDeviceMemoryIs) {
  const auto first = backend->allocate(0, 64);
  const auto second = backend->allocate(1, 64);
  EXPECT_EQ(backend->memory_at(first->data()).device, 0);
  EXPECT_EQ(backend->memory_at(second->data()).device, 1);
  CudaOptions options;
  options.devices = {1};
  const auto other = make_cuda_backend(options);
  EXPECT_EQ(other->memory_at(second->data()).device, 0) << "the backend's own number";
  EXPECT_EQ(other->memory_at(first->data()).device, -1);
}

}  // namespace
}  // namespace halocline::device::test

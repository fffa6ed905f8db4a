// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/table_memory.hpp"

#include <cstdint>
#include <limits>

#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {

TableMemory::TableMemory(int cuda_ordinal) {
  int has_pools = 0;
  check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, cuda_ordinal), "cudaDeviceGetAttribute");
  if (has_pools == 0) return;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = cuda_ordinal;
  check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  // Freed memory stays in the pool: tables are small, and the next ones are often as large.
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all);
  if (status != cudaSuccess) log_failure(cudaMemPoolDestroy(pool_), "cudaMemPoolDestroy");
  check(status, "cudaMemPoolSetAttribute");
}

TableMemory::~TableMemory() {
  for (void* memory : kept_) log_failure(cudaFree(memory), "cudaFree");
  if (pool_ != nullptr) log_failure(cudaMemPoolDestroy(pool_), "cudaMemPoolDestroy");
}

void* TableMemory::allocate(std::size_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  if (pool_ != nullptr) {
    check(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream), "cudaMallocFromPoolAsync");
  } else {
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
  }
  return memory;
}

void TableMemory::free(void* memory, cudaStream_t stream) {
  if (pool_ != nullptr) {
    log_failure(cudaFreeAsync(memory, stream), "cudaFreeAsync");
    return;
  }
  const std::lock_guard held(mutex_);
  kept_.push_back(memory);
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/table_memory.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {

void TableMemory::FreeMemory::operator()(std::byte* memory) const { log_failure(cudaFree(memory), "cudaFree"); }

TableMemory::TableMemory(int cuda_ordinal)
    : ordinal_(cuda_ordinal),
      memory_([] {
        void* memory = nullptr;
        check(cudaMalloc(&memory, slab_bytes), "cudaMalloc");
        return static_cast<std::byte*>(memory);
      }()),
      slab_(memory_.get(), slab_bytes) {
  int has_pools = 0;
  check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, cuda_ordinal), "cudaDeviceGetAttribute");
  has_pools_ = has_pools != 0;
}

TableMemory::~TableMemory() {
  for (void* memory : kept_) log_failure(cudaFree(memory), "cudaFree");
  if (pool_ != nullptr) log_failure(cudaMemPoolDestroy(pool_), "cudaMemPoolDestroy");
}

void TableMemory::make_pool() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = ordinal_;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  // Freed memory stays in the pool: the next tables are often as large.
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  const cudaError_t status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
  if (status != cudaSuccess) log_failure(cudaMemPoolDestroy(pool), "cudaMemPoolDestroy");
  check(status, "cudaMemPoolSetAttribute");
  pool_ = pool;
}

void* TableMemory::allocate(std::size_t bytes, cudaStream_t stream, CountedBytes counted) {
  const std::lock_guard held(mutex_);
  // Nothing of the host may be missing once the device has given memory.
  std::map<void*, CountedBytes> one;
  one.emplace(nullptr, std::move(counted));
  if (!has_pools_) kept_.reserve(kept_.size() + counted_.size() + 1);
  void* memory = slab_.take(bytes);
  if (memory == nullptr && has_pools_) {
    if (pool_ == nullptr) make_pool();
    check(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream), "cudaMallocFromPoolAsync");
  } else if (memory == nullptr) {
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
  }
  auto entry = one.extract(one.begin());
  entry.key() = memory;
  counted_.insert(std::move(entry));
  return memory;
}

void TableMemory::free(void* memory, cudaStream_t stream) noexcept {
  const std::lock_guard held(mutex_);
  counted_.erase(memory);
  if (slab_.give_back(memory)) return;
  if (has_pools_) {
    log_failure(cudaFreeAsync(memory, stream), "cudaFreeAsync");
  } else {
    kept_.push_back(memory);
  }
}

}  // namespace halocline::device::cuda

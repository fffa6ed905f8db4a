// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cuda/slab.hpp"
#include "device/memory_account.hpp"

namespace halocline::device::cuda {

/// The memory of tables that kernels read, on one device. It comes from a slab, which holds the tables of most domains, and then from a
/// memory pool of its own: neither allocating nor freeing waits for other work of the device, as cudaFree() would, and no stream of the
/// user's shares it. A pool takes 32 MiB for its first byte, so that it is made when it is needed. On devices without memory pools more
/// comes from cudaMalloc(), and is freed when this is destroyed. All with the device current. Thread-safe.
class TableMemory {
 public:
  explicit TableMemory(int cuda_ordinal);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// Allocates memory for work that is enqueued in the stream afterwards, the same stream in all calls. Throws ResourceError if there is no memory.
  /// counted: destroyed when the memory is freed.
  [[nodiscard]] void* allocate(std::size_t bytes, cudaStream_t stream, CountedBytes counted = {});
  /// Frees memory in stream order, in the stream that it was allocated for; no other work may use it any more. Allocates nothing.
  void free(void* memory, cudaStream_t stream) noexcept;

  /// Less than a block of cudaMalloc() (2 MiB), which other small memory of the device shares.
  static constexpr std::size_t slab_bytes = std::size_t{1536} << 10;

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };
  void make_pool();

  int ordinal_;
  bool has_pools_ = false;
  std::unique_ptr<std::byte, FreeMemory> memory_;  ///< of the slab
  std::mutex mutex_;
  Slab slab_;
  cudaMemPool_t pool_ = nullptr;  ///< null until the slab was too small, and where the device has none
  std::vector<void*> kept_;       ///< without pools, what was freed: it has room for all that is not
  std::map<void*, CountedBytes> counted_;
};

}  // namespace halocline::device::cuda

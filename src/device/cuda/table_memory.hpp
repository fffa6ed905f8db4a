// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>
#include <vector>

namespace halocline::device::cuda {

/// The memory of tables that kernels read, on one device. It comes from a memory pool of its own, so that freeing it does not
/// wait for other work of the device, as cudaFree() would, and no stream of the user's shares it. On devices without memory
/// pools it comes from cudaMalloc(), and is freed when this is destroyed. All with the device current. Thread-safe.
class TableMemory {
 public:
  explicit TableMemory(int cuda_ordinal);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// Allocates memory for work that is enqueued in the stream afterwards. Throws ResourceError if there is no memory.
  [[nodiscard]] void* allocate(std::size_t bytes, cudaStream_t stream);
  /// Frees memory in stream order, in the stream that it was allocated for; no other work may use it any more.
  void free(void* memory, cudaStream_t stream);

 private:
  cudaMemPool_t pool_ = nullptr;  ///< null where the device has none
  std::mutex mutex_;
  std::vector<void*> kept_;
};

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "baselines/plan.hpp"
#include "support/cuda.cuh"

namespace halocline::bench {

/// Device memory that frees itself, from cudaMalloc or a library's allocator. Zero-filled.
using DeviceMemory = std::shared_ptr<void>;
using Allocator = std::function<DeviceMemory(std::size_t bytes)>;
[[nodiscard]] DeviceMemory cuda_memory(std::size_t bytes);

/// The cells of a block, for kernels that fill and check all of them.
struct Cells {
  float* field[most_fields];  ///< first owned cells
  std::int64_t stride_y;      ///< in elements
  std::int64_t stride_z;
  std::int64_t radius;
  std::int64_t n[3];       ///< owned cells
  std::int64_t origin[3];  ///< of the first owned cell in the domain
  std::int64_t domain[3];
  int fields;
};

/// Everything but the addresses and strides.
[[nodiscard]] Cells cells_of(const Workload& workload, std::int64_t rank);
/// Enqueues: owned cells by their position in the domain and the round, halos NaN.
void fill(const Cells& cells, std::uint32_t round, cudaStream_t stream);
/// How many cells, halo included, are not what they must be after an exchange. Synchronises the stream.
[[nodiscard]] std::int64_t wrong_cells(const Cells& cells, std::uint32_t round, cudaStream_t stream);

/// One rank's arrays, streams and plan.
class Block {
 public:
  Block(const Workload& workload, std::int64_t rank, const Allocator& allocate);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] std::int64_t rank() const { return rank_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] float* arrays() const { return static_cast<float*>(arrays_.get()); }
  /// A stream of higher priority: kernels on the path of messages start first.
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] cudaStream_t side_stream() const { return side_stream_.get(); }
  [[nodiscard]] const Cells& cells() const { return cells_; }

 private:
  Workload workload_;
  std::int64_t rank_;
  Plan plan_;
  DeviceMemory arrays_;
  OwnedStream stream_;
  OwnedStream side_stream_;
  Cells cells_{};
};

/// Enqueues a job's copies on a number of thread blocks, which are small, or as large as a multiprocessor takes.
enum class BlockSize : unsigned { small = items_a_tile, large = 1024 };
void launch_copies(const Job& job, unsigned blocks, cudaStream_t stream, BlockSize size = BlockSize::small);

}  // namespace halocline::bench

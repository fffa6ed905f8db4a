// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

template <bool with_conversions>
__global__ void __launch_bounds__(block_threads, 3)
    copy_kernel(const Board* board, const __grid_constant__ CopyTask task, const __grid_constant__ Tiling tiling) {
  const bool stop = stopped(board);
  const LaneInTiles mine(tiling.shape);
  const std::uint32_t count = tiling.count();
  for (std::uint32_t at = blockIdx.x; at < count; at += gridDim.x) {
    copy_tile<with_conversions>(mine, tile_at(task, tiling, at), [stop] { return !stop; });
  }
}

__device__ inline void write(const WrittenHeaders& headers) {
  __shared__ std::uint64_t epoch;
  if (threadIdx.x == 0) {
    epoch = acquire(headers.epoch);
    if (headers.advance) release(headers.epoch, ++epoch);
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < headers.count; i += blockDim.x) cuda::signal(headers.signals[i], epoch);
}

/// Nobody waits for the comparison: where headers are wrong, the device fails.
__device__ inline void compare(Board* board, const ComparedHeaders& headers) {
  const std::uint64_t epoch = acquire(headers.epoch);
  bool right = true;
  for (std::uint32_t i = threadIdx.x; i < headers.count; i += blockDim.x) {
    right = wait_for(board, headers.entries[i], epoch) && right;
  }
  if (headers.done != nullptr && __syncthreads_and(right) != 0 && threadIdx.x == 0) {
    cuda::signal({headers.done, 0}, epoch);
  }
}

enum class Headers { none, written, compared };

/// The last block writes or compares headers, which takes as long as copying a few tiles; the others copy.
template <bool with_conversions, Headers headers>
__global__ void __launch_bounds__(block_threads, 3)
    copies_kernel(Board* board, const __grid_constant__ CopyTable table) {
  const bool stop = stopped(board);
  constexpr unsigned aside = headers == Headers::none ? 0 : 1;
  const unsigned blocks = gridDim.x - aside;
  if (aside != 0 && blockIdx.x == blocks) {
    if (stop) return;
    if constexpr (headers == Headers::written) write(table.written);
    if constexpr (headers == Headers::compared) compare(board, table.compared);
    return;
  }
  if (blockIdx.x >= table.tile_count) return;
  const CopyTile first = table.tiles[blockIdx.x];
  copy_tiles<with_conversions>(table.shapes[first.shape], table.shapes, first,
                               StridedTiles{table.tiles, blockIdx.x + blocks, table.tile_count, blocks},
                               [stop] { return !stop; });
}

template <Headers headers>
const void* copies_kernel_with(bool conversions) {
  return conversions ? reinterpret_cast<const void*>(copies_kernel<true, headers>)
                     : reinterpret_cast<const void*>(copies_kernel<false, headers>);
}

const void* copy_kernel_for(bool with_conversions) {
  return with_conversions ? reinterpret_cast<const void*>(copy_kernel<true>)
                          : reinterpret_cast<const void*>(copy_kernel<false>);
}

const void* copies_kernel_for(bool conversions, Headers headers) {
  switch (headers) {
    case Headers::written: return copies_kernel_with<Headers::written>(conversions);
    case Headers::compared: return copies_kernel_with<Headers::compared>(conversions);
    default: return copies_kernel_with<Headers::none>(conversions);
  }
}

Headers headers_of(const CopyTable& table) {
  if (table.written.epoch != nullptr) return Headers::written;
  return table.compared.count > 0 ? Headers::compared : Headers::none;
}

}  // namespace

cudaError_t launch_copy(cudaStream_t stream, const Board* board, const CopyTask& task, const Tiling& tiling,
                        unsigned blocks) {
  CopyTask copy = task;
  Tiling its_tiling = tiling;
  void* parameters[] = {&board, &copy, &its_tiling};
  return cudaLaunchKernel(copy_kernel_for(task.conversion.any()), dim3(blocks), dim3(block_threads), parameters, 0,
                          stream);
}

cudaError_t launch_copies(cudaStream_t stream, Board* board, const CopyTable& table, unsigned blocks) {
  CopyTable copies = table;
  void* parameters[] = {&board, &copies};
  const Headers headers = headers_of(table);
  const unsigned aside = headers == Headers::none ? 0 : 1;
  return cudaLaunchKernel(copies_kernel_for(table.converts, headers), dim3(blocks + aside), dim3(block_threads),
                          parameters, 0, stream);
}

cudaError_t load_copy_kernels() {
  std::vector<const void*> kernels;
  for (const bool conversions : {false, true}) {
    kernels.push_back(copy_kernel_for(conversions));
    for (const Headers headers : {Headers::none, Headers::written, Headers::compared}) {
      kernels.push_back(copies_kernel_for(conversions, headers));
    }
  }
  for (const void* kernel : kernels) {
    cudaFuncAttributes attributes;
    const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t copy_blocks_at_once(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, copies_kernel_for(false, Headers::none),
                                                       static_cast<int>(block_threads), 0);
}

}  // namespace halocline::device::cuda

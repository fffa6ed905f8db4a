// SPDX-License-Identifier: BSD-3-Clause
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

/// The first block compares headers, and nobody waits for it: where they are wrong, the device fails.
template <bool with_conversions, bool with_headers>
__global__ void __launch_bounds__(block_threads, 3)
    copies_kernel(Board* board, const TileShape* shapes, const CopyTile* tiles, std::uint32_t tile_count,
                  const __grid_constant__ HeaderTable headers) {
  const bool stop = stopped(board);
  if constexpr (with_headers) {
    if (blockIdx.x == 0 && !stop) {
      const std::uint64_t epoch = acquire(headers.epoch);
      bool right = true;
      for (std::uint32_t i = threadIdx.x; i < headers.count; i += blockDim.x) {
        right = wait_for(board, headers.entries[i], epoch) && right;
      }
      if (headers.done != nullptr && __syncthreads_and(right) != 0 && threadIdx.x == 0) {
        cuda::signal({headers.done, 0}, epoch);
      }
    }
  }
  if (blockIdx.x >= tile_count) return;
  const CopyTile first = tiles[blockIdx.x];
  copy_tiles<with_conversions>(shapes[first.shape], shapes, first,
                               StridedTiles{tiles, blockIdx.x + gridDim.x, tile_count, gridDim.x},
                               [stop] { return !stop; });
}

const void* copy_kernel_for(bool with_conversions) {
  return with_conversions ? reinterpret_cast<const void*>(copy_kernel<true>)
                          : reinterpret_cast<const void*>(copy_kernel<false>);
}

const void* copies_kernel_for(bool with_conversions, bool with_headers) {
  if (with_headers) {
    return with_conversions ? reinterpret_cast<const void*>(copies_kernel<true, true>)
                            : reinterpret_cast<const void*>(copies_kernel<false, true>);
  }
  return with_conversions ? reinterpret_cast<const void*>(copies_kernel<true, false>)
                          : reinterpret_cast<const void*>(copies_kernel<false, false>);
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

cudaError_t launch_copies(cudaStream_t stream, Board* board, const TileShape* shapes, const CopyTile* tiles,
                          std::uint32_t tile_count, bool converts, const HeaderTable& headers, unsigned blocks) {
  HeaderTable its_headers = headers;
  void* parameters[] = {&board, &shapes, &tiles, &tile_count, &its_headers};
  return cudaLaunchKernel(copies_kernel_for(converts, headers.count > 0), dim3(blocks), dim3(block_threads), parameters,
                          0, stream);
}

cudaError_t load_copy_kernels() {
  for (const bool with_conversions : {false, true}) {
    for (const void* kernel : {copy_kernel_for(with_conversions), copies_kernel_for(with_conversions, false),
                               copies_kernel_for(with_conversions, true)}) {
      cudaFuncAttributes attributes;
      const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
      if (status != cudaSuccess) return status;
    }
  }
  return cudaSuccess;
}

cudaError_t copy_blocks_at_once(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, copies_kernel_for(false, false),
                                                       static_cast<int>(block_threads), 0);
}

}  // namespace halocline::device::cuda

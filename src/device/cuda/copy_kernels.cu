// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

__global__ void __launch_bounds__(block_threads, 3)
    copy_kernel(const Board* board, const __grid_constant__ CopyTask task, const __grid_constant__ Tiling tiling) {
  const bool stop = stopped(board);
  const LaneInTiles mine(tiling.shape);
  const std::uint32_t count = tiling.count();
  for (std::uint32_t at = blockIdx.x; at < count; at += gridDim.x) {
    copy_tile(mine, tile_at(task, tiling, at), [stop] { return !stop; });
  }
}

__global__ void __launch_bounds__(block_threads, 3)
    copies_kernel(const Board* board, const TileShape* shapes, const CopyTile* tiles, std::uint32_t tile_count) {
  const bool stop = stopped(board);
  if (blockIdx.x >= tile_count) return;
  const CopyTile first = tiles[blockIdx.x];
  copy_tiles(shapes[first.shape], shapes, first, tiles, blockIdx.x, tile_count, gridDim.x, [stop] { return !stop; });
}

template <typename Kernel>
cudaError_t load(Kernel kernel) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
}

}  // namespace

cudaError_t launch_copy(cudaStream_t stream, const Board* board, const CopyTask& task, const Tiling& tiling,
                        unsigned blocks) {
  CopyTask copy = task;
  Tiling its_tiling = tiling;
  void* parameters[] = {&board, &copy, &its_tiling};
  return cudaLaunchKernel(reinterpret_cast<const void*>(copy_kernel), dim3(blocks), dim3(block_threads), parameters, 0,
                          stream);
}

cudaError_t launch_copies(cudaStream_t stream, const Board* board, const TileShape* shapes, const CopyTile* tiles,
                          std::uint32_t tile_count, unsigned blocks) {
  void* parameters[] = {&board, &shapes, &tiles, &tile_count};
  return cudaLaunchKernel(reinterpret_cast<const void*>(copies_kernel), dim3(blocks), dim3(block_threads), parameters,
                          0, stream);
}

cudaError_t load_copy_kernels() {
  const cudaError_t status = load(copy_kernel);
  return status != cudaSuccess ? status : load(copies_kernel);
}

cudaError_t copy_blocks_at_once(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, copies_kernel, static_cast<int>(block_threads), 0);
}

}  // namespace halocline::device::cuda

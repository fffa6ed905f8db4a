#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

__global__ void __launch_bounds__(block_threads, 3)
    copy_kernel(const Board* board, const __grid_constant__ CopyTask task) {
  const bool stop = stopped(board);
  const std::uint32_t step = gridDim.x * tile_units;
  for (std::uint32_t first = blockIdx.x * tile_units; first < task.units; first += step) {
    copy_tile(task, first, [stop] { return !stop; });
  }
}

__global__ void __launch_bounds__(block_threads, 3)
    copies_kernel(const Board* board, const CopyTask* tasks, const CopyTile* tiles, std::uint32_t tile_count) {
  const bool stop = stopped(board);
  std::uint32_t at = blockIdx.x;
  if (at >= tile_count) return;
  CopyTile tile = tiles[at];
  while (true) {
    // The next tile's number is on its way while this one is copied.
    at += gridDim.x;
    const bool more = at < tile_count;
    const CopyTile next = more ? tiles[at] : tile;
    copy_tile(tasks[tile.task], tile.first, [stop] { return !stop; });
    if (!more) return;
    tile = next;
  }
}

template <typename Kernel>
cudaError_t load(Kernel kernel) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
}

}  // namespace

cudaError_t launch_copy(cudaStream_t stream, const Board* board, const CopyTask& task, unsigned blocks) {
  CopyTask copy = task;
  void* parameters[] = {&board, &copy};
  return cudaLaunchKernel(reinterpret_cast<const void*>(copy_kernel), dim3(blocks), dim3(block_threads), parameters, 0,
                          stream);
}

cudaError_t launch_copies(cudaStream_t stream, const Board* board, const CopyTask* tasks, const CopyTile* tiles,
                          std::uint32_t tile_count, unsigned blocks) {
  void* parameters[] = {&board, &tasks, &tiles, &tile_count};
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

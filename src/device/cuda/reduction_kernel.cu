// SPDX-License-Identifier: BSD-3-Clause
// Each block reduces its tiles; the last block of an output to end combines the blocks' results, in the order of their numbers.
#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

constexpr unsigned warp_threads = 32;
constexpr unsigned block_warps = block_threads / warp_threads;

template <typename T>
inline constexpr std::uint32_t unit_elements = reduction_unit_bytes / sizeof(T);

template <typename T>
struct alignas(reduction_unit_bytes) ReductionUnit {
  T of[unit_elements<T>];
};

/// Loads a unit, with plain loads: other devices may have stored the data. Elements beyond its end are undefined.
template <typename T>
__device__ ReductionUnit<T> load_unit(const ReductionTask& task, const UnitPlace& place) {
  const std::byte* from = task.first + place.offset;
  if (task.aligned && place.elements == unit_elements<T>) return *reinterpret_cast<const ReductionUnit<T>*>(from);
  ReductionUnit<T> unit;
#pragma unroll
  for (std::uint32_t k = 0; k < unit_elements<T>; ++k) {
    if (k < place.elements) unit.of[k] = *reinterpret_cast<const T*>(from + k * task.stride[0]);
  }
  return unit;
}

/// What one thread contributes.
template <typename T, Reduce what>
__device__ double reduce_tiles(const ReductionTask* tasks, const ReductionOutput& output) {
  double result = neutral(what);
  for (std::uint32_t at = output.first_task; at < output.end_task; ++at) {
    const ReductionTask& task = tasks[at];
    for (std::uint32_t tile = first_tile_of(task, output, blockIdx.x); tile < task.tiles; tile += output.blocks) {
      const std::uint32_t first = tile * output.loads * block_threads + threadIdx.x;
      ReductionUnit<T> units[most_reduction_loads];
      std::uint32_t elements[most_reduction_loads]{};
#pragma unroll
      for (std::uint32_t i = 0; i < most_reduction_loads; ++i) {
        const std::uint32_t unit = first + i * block_threads;
        if (i >= output.loads || unit >= task.units) continue;
        const UnitPlace place = place_of_unit(task, unit_elements<T>, unit);
        units[i] = load_unit<T>(task, place);
        elements[i] = place.elements;
      }
#pragma unroll
      for (std::uint32_t i = 0; i < most_reduction_loads; ++i) {
#pragma unroll
        for (std::uint32_t k = 0; k < unit_elements<T>; ++k) {
          if (k < elements[i]) result = combined(what, result, term_of(what, units[i].of[k]));
        }
      }
    }
  }
  return result;
}

template <typename T>
__device__ double reduce_tiles(const ReductionTask* tasks, const ReductionOutput& output) {
  switch (output.what) {
    case Reduce::sum: return reduce_tiles<T, Reduce::sum>(tasks, output);
    case Reduce::sum_of_squares: return reduce_tiles<T, Reduce::sum_of_squares>(tasks, output);
    case Reduce::min: return reduce_tiles<T, Reduce::min>(tasks, output);
    case Reduce::max: return reduce_tiles<T, Reduce::max>(tasks, output);
    case Reduce::max_abs: return reduce_tiles<T, Reduce::max_abs>(tasks, output);
  }
  return 0;
}

/// Combines the threads' results. The result is in thread 0.
__device__ double combine_block(Reduce what, double result) {
  __shared__ double of_warps[block_warps];
  for (unsigned apart = warp_threads / 2; apart > 0; apart /= 2) {
    result = combined(what, result, __shfl_down_sync(0xffffffffU, result, apart));
  }
  __syncthreads();  // of_warps may still be read by the call before
  if (threadIdx.x % warp_threads == 0) of_warps[threadIdx.x / warp_threads] = result;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < block_warps; ++warp) result = combined(what, result, of_warps[warp]);
  }
  return result;
}

/// is_one: ReductionTable::is_one. All most_reduction_blocks are resident at the same time.
template <bool is_one>
__global__ void __launch_bounds__(block_threads, 4)
    reduction_kernel(const Board* board, const __grid_constant__ ReductionTable table) {
  // A stopped device does not store the result. It loads the cells all the same: waiting for this word first would delay them.
  const bool stop = threadIdx.x == 0 && stopped(board);
  const ReductionOutput output = is_one ? table.one_output : table.outputs[blockIdx.y];
  if (blockIdx.x >= output.blocks) return;
  const ReductionTask* tasks = is_one ? &table.one_task : table.tasks;
  double result =
      output.element == Element::f32 ? reduce_tiles<float>(tasks, output) : reduce_tiles<double>(tasks, output);
  result = combine_block(output.what, result);
  if (output.blocks == 1) {
    if (threadIdx.x == 0 && !stop) *output.target = result;
    return;
  }
  __shared__ bool last;
  double* const partials = table.partials + output.first_partial;
  std::uint32_t* const counter = table.counters + blockIdx.y;
  if (threadIdx.x == 0) {
    __stcg(partials + blockIdx.x, result);
    __threadfence();
    last = atomicAdd(counter, 1U) + 1 == output.blocks;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  const Reduce what = combining(output.what);
  result = neutral(what);
  for (std::uint32_t i = threadIdx.x; i < output.blocks; i += block_threads) {
    result = combined(what, result, __ldcg(partials + i));
  }
  result = combine_block(what, result);
  if (threadIdx.x == 0) {
    if (!stop) *output.target = result;
    *counter = 0;
  }
}

const void* kernel_for(bool is_one) {
  return is_one ? reinterpret_cast<const void*>(reduction_kernel<true>)
                : reinterpret_cast<const void*>(reduction_kernel<false>);
}

}  // namespace

cudaError_t launch_reductions(cudaStream_t stream, const Board* board, const ReductionTable& table) {
  ReductionTable its_table = table;
  void* parameters[] = {&board, &its_table};
  return cudaLaunchKernel(kernel_for(table.is_one), dim3(table.blocks, table.output_count), dim3(block_threads),
                          parameters, 0, stream);
}

cudaError_t load_reduction_kernel() {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel_for(true));
  return status == cudaSuccess ? cudaFuncGetAttributes(&attributes, kernel_for(false)) : status;
}

}  // namespace halocline::device::cuda

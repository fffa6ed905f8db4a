// SPDX-License-Identifier: BSD-3-Clause
// A block adds a tile of cells at a time, in the order of the terms.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/cuda/kernels.hpp"
#include "device/cuda/system_scope.cuh"

namespace halocline::device::cuda {
namespace {

template <typename T>
__device__ T sum_of(T a, T b) {
  return static_cast<T>(a + b);
}
// As floats, rounded once: the same value as a single addition of the type itself, and as on the host.
template <>
__device__ __half sum_of(__half a, __half b) {
  return __float2half_rn(__half2float(a) + __half2float(b));
}
template <>
__device__ __nv_bfloat16 sum_of(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
}
/// A complex number, aligned as its parts are: float2 and double2 want more.
template <typename T>
struct Complex {
  T real, imaginary;
};
template <typename T>
__device__ Complex<T> sum_of(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}

/// A thread's cells of a tile: the loads of each term are all on their way before the first is added.
template <typename T>
__device__ void add_tile(const SumTask& task, const SumTerm* terms, std::uint32_t first_cell) {
  std::uint32_t x[units_per_thread];
  std::uint32_t y[units_per_thread];
  std::uint32_t z[units_per_thread];
  T sum[units_per_thread];
  const auto offset = [&](std::uint32_t i, const std::array<std::int64_t, 3>& stride) {
    return x[i] * stride[0] + y[i] * stride[1] + z[i] * stride[2];
  };
  const auto cell = [&](std::uint32_t i) { return first_cell + i * block_threads + threadIdx.x; };
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    // Where there is no cell left, the last one is read again and not written.
    const std::uint32_t number = min(cell(i), task.cells - 1);
    const std::uint32_t row = task.x.divide(number);
    z[i] = task.y.divide(row);
    y[i] = row - z[i] * task.y.divisor;
    x[i] = number - row * task.x.divisor;
    sum[i] = *reinterpret_cast<const T*>(task.target + offset(i, task.stride));
  }
  for (std::uint32_t term = task.first_term; term < task.end_term; ++term) {
    const SumTerm from = terms[term];
    T more[units_per_thread];
#pragma unroll
    for (std::uint32_t i = 0; i < units_per_thread; ++i) {
      more[i] = *reinterpret_cast<const T*>(from.first + offset(i, from.stride));
    }
#pragma unroll
    for (std::uint32_t i = 0; i < units_per_thread; ++i) sum[i] = sum_of(sum[i], more[i]);
  }
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    if (cell(i) < task.cells) *reinterpret_cast<T*>(task.target + offset(i, task.stride)) = sum[i];
  }
}

__global__ void __launch_bounds__(block_threads)
    sums_kernel(const Board* board, const __grid_constant__ SumTable table) {
  if (stopped(board)) return;
  for (std::uint32_t at = blockIdx.x; at < table.tile_count; at += gridDim.x) {
    const SumTile tile = table.tiles[at];
    const SumTask& task = table.tasks[tile.task];
    // Signed integers as unsigned ones, whose sums wrap around.
    switch (task.element) {
      case Element::i8:
      case Element::u8: add_tile<std::uint8_t>(task, table.terms, tile.first_cell); break;
      case Element::i16:
      case Element::u16: add_tile<std::uint16_t>(task, table.terms, tile.first_cell); break;
      case Element::i32:
      case Element::u32: add_tile<std::uint32_t>(task, table.terms, tile.first_cell); break;
      case Element::i64:
      case Element::u64: add_tile<std::uint64_t>(task, table.terms, tile.first_cell); break;
      case Element::f16: add_tile<__half>(task, table.terms, tile.first_cell); break;
      case Element::bf16: add_tile<__nv_bfloat16>(task, table.terms, tile.first_cell); break;
      case Element::f32: add_tile<float>(task, table.terms, tile.first_cell); break;
      case Element::f64: add_tile<double>(task, table.terms, tile.first_cell); break;
      case Element::c64: add_tile<Complex<float>>(task, table.terms, tile.first_cell); break;
      case Element::c128: add_tile<Complex<double>>(task, table.terms, tile.first_cell); break;
    }
  }
}

}  // namespace

cudaError_t launch_sums(cudaStream_t stream, const Board* board, const SumTable& table, unsigned blocks) {
  SumTable its_table = table;
  void* parameters[] = {&board, &its_table};
  return cudaLaunchKernel(reinterpret_cast<const void*>(sums_kernel), dim3(blocks), dim3(block_threads), parameters, 0,
                          stream);
}

cudaError_t load_sum_kernel() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(sums_kernel));
}

}  // namespace halocline::device::cuda

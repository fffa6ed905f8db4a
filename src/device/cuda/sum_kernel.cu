// SPDX-License-Identifier: BSD-3-Clause
// A block adds a tile of cells at a time: a thread loads its cell of the target and of each term, one after another, and
// stores the sum. The order of additions is that of the terms.
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

template <typename T>
__device__ void add_cell(const SumTask& task, const SumTerm* terms, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  T* const target = reinterpret_cast<T*>(task.target + x * task.stride[0] + y * task.stride[1] + z * task.stride[2]);
  T sum = *target;
  for (std::uint32_t i = task.first_term; i < task.end_term; ++i) {
    const SumTerm& term = terms[i];
    sum = sum_of(
        sum, *reinterpret_cast<const T*>(term.first + x * term.stride[0] + y * term.stride[1] + z * term.stride[2]));
  }
  *target = sum;
}

template <typename T>
__device__ void add_tile(const SumTask& task, const SumTerm* terms, std::uint32_t first_cell) {
#pragma unroll
  for (std::uint32_t i = 0; i < units_per_thread; ++i) {
    const std::uint32_t cell = first_cell + i * block_threads + threadIdx.x;
    if (cell >= task.cells) return;
    const std::uint32_t row = task.x.divide(cell);
    const std::uint32_t z = task.y.divide(row);
    add_cell<T>(task, terms, cell - row * task.x.divisor, row - z * task.y.divisor, z);
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

// SPDX-License-Identifier: BSD-3-Clause
// A block adds a tile of units at a time, in the order of the terms.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

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
/// As many bytes as a unit has, for one load or store.
template <std::size_t bytes>
using Words = std::conditional_t<bytes == 16, uint4, std::conditional_t<bytes == 8, uint2, std::uint32_t>>;

/// A complex number, aligned as its parts are: float2 and double2 want more.
template <typename T>
struct Complex {
  T real, imaginary;
};
template <typename T>
__device__ Complex<T> sum_of(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}

/// A unit's elements that are of the sum; the others stay undefined. Plain loads: other devices may have stored the data.
template <typename T, std::uint32_t elements>
__device__ void load_unit(T (&values)[elements], const std::byte* from, const SumUnit& unit, bool wide) {
  if constexpr (elements > 1) {
    if (wide && unit.first == 0 && unit.end == elements) {
      using Wide = Words<sizeof(T) * elements>;
      const Wide all = *reinterpret_cast<const Wide*>(from);
      memcpy(values, &all, sizeof all);
      return;
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (i >= unit.first && i < unit.end) values[i] = reinterpret_cast<const T*>(from)[i];
  }
}

template <typename T, std::uint32_t elements>
__device__ void store_unit(std::byte* to, const T (&values)[elements], const SumUnit& unit) {
  if constexpr (elements > 1) {
    if (unit.first == 0 && unit.end == elements) {
      using Wide = Words<sizeof(T) * elements>;
      Wide all;
      memcpy(&all, values, sizeof all);
      *reinterpret_cast<Wide*>(to) = all;
      return;
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (i >= unit.first && i < unit.end) reinterpret_cast<T*>(to)[i] = values[i];
  }
}

/// Adds a thread's units of a tile. The loads of a term are issued before the term before it is added.
template <typename T, std::uint32_t elements>
__device__ void add_units(const SumTask& task, const SumTerm* terms, const SumTile& tile) {
  constexpr std::uint32_t units = units_per_thread;
  SumUnit unit[units];
  T sum[units][elements];
  T next[units][elements];
  const auto load_term = [&](std::uint32_t number) {
    const SumTerm term = terms[number];
#pragma unroll
    for (std::uint32_t i = 0; i < units; ++i) {
      load_unit(next[i], term.first + unit[i].offset(term.stride), unit[i], term.wide);
    }
  };
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    unit[i] = unit_of(task, tile.first_unit + i * block_threads + threadIdx.x, elements);
    load_unit(sum[i], task.target + unit[i].offset(task.stride), unit[i], true);
  }
  load_term(tile.first_term);
  for (std::uint32_t term = tile.first_term; term < tile.end_term; ++term) {
    T more[units][elements];
    memcpy(more, next, sizeof more);
    if (term + 1 < tile.end_term) load_term(term + 1);
#pragma unroll
    for (std::uint32_t i = 0; i < units; ++i) {
#pragma unroll
      for (std::uint32_t k = 0; k < elements; ++k) sum[i][k] = sum_of(sum[i][k], more[i][k]);
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    store_unit(task.target + unit[i].offset(task.stride), sum[i], unit[i]);
  }
}

template <typename T>
__device__ void add_tile(const SumTask& task, const SumTerm* terms, const SumTile& tile) {
  constexpr std::uint32_t wide = wide_unit(sizeof(T));
  if constexpr (wide > 1) {
    if (task.wide) return add_units<T, wide>(task, terms, tile);
  }
  add_units<T, 1>(task, terms, tile);
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
      case Element::u8: add_tile<std::uint8_t>(task, table.terms, tile); break;
      case Element::i16:
      case Element::u16: add_tile<std::uint16_t>(task, table.terms, tile); break;
      case Element::i32:
      case Element::u32: add_tile<std::uint32_t>(task, table.terms, tile); break;
      case Element::i64:
      case Element::u64: add_tile<std::uint64_t>(task, table.terms, tile); break;
      case Element::f16: add_tile<__half>(task, table.terms, tile); break;
      case Element::bf16: add_tile<__nv_bfloat16>(task, table.terms, tile); break;
      case Element::f32: add_tile<float>(task, table.terms, tile); break;
      case Element::f64: add_tile<double>(task, table.terms, tile); break;
      case Element::c64: add_tile<Complex<float>>(task, table.terms, tile); break;
      case Element::c128: add_tile<Complex<double>>(task, table.terms, tile); break;
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

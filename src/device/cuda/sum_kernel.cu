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

/// Elements that a thread loads and stores at once.
template <typename T, std::uint32_t elements>
struct Unit {
  T values[elements];

  /// With plain loads: other devices may have stored the data.
  __device__ void load(const std::byte* from, bool wide) {
    if constexpr (elements > 1) {
      if (wide) {
        const auto all = *reinterpret_cast<const Words<sizeof values>*>(from);
        memcpy(values, &all, sizeof values);
        return;
      }
    }
#pragma unroll
    for (std::uint32_t i = 0; i < elements; ++i) values[i] = reinterpret_cast<const T*>(from)[i];
  }
  __device__ void store(std::byte* to) const {
    if constexpr (elements > 1) {
      Words<sizeof values> all;
      memcpy(&all, values, sizeof values);
      *reinterpret_cast<Words<sizeof values>*>(to) = all;
    } else {
      *reinterpret_cast<T*>(to) = values[0];
    }
  }
  __device__ void add(const Unit& other) {
#pragma unroll
    for (std::uint32_t i = 0; i < elements; ++i) values[i] = sum_of(values[i], other.values[i]);
  }
};

/// The unit at an end of a row, element by element.
template <typename T>
__device__ void add_part(const SumTask& task, const SumTerm* terms, const SumTile& tile, const SumUnit& unit) {
  std::byte* target = task.target + unit.offset(task.stride);
#pragma unroll 1
  for (std::uint32_t i = unit.first; i < unit.end; ++i) {
    T sum = reinterpret_cast<const T*>(target)[i];
#pragma unroll 1
    for (std::uint32_t term = tile.first_term; term < tile.end_term; ++term) {
      sum = sum_of(sum, reinterpret_cast<const T*>(terms[term].first + unit.offset(terms[term].stride))[i]);
    }
    reinterpret_cast<T*>(target)[i] = sum;
  }
}

/// Adds a thread's units of a tile. All loads of a term are issued before the first is added.
template <typename T, std::uint32_t elements>
__device__ void add_units(const SumTask& task, const SumTerm* terms, const SumTile& tile) {
  constexpr std::uint32_t units = units_of_tile(elements * sizeof(T)) / block_threads;
  SumUnit unit[units];
  Unit<T, elements> sum[units];
  const auto is_whole = [&](std::uint32_t i) { return unit[i].first == 0 && unit[i].end == elements; };
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    unit[i] = unit_of(task, tile.first_unit + i * block_threads + threadIdx.x, elements);
    if (is_whole(i)) sum[i].load(task.target + unit[i].offset(task.stride), true);
  }
#pragma unroll 1
  for (std::uint32_t number = tile.first_term; number < tile.end_term; ++number) {
    const SumTerm term = terms[number];
    Unit<T, elements> more[units];
#pragma unroll
    for (std::uint32_t i = 0; i < units; ++i) {
      if (is_whole(i)) more[i].load(term.first + unit[i].offset(term.stride), term.wide);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < units; ++i) sum[i].add(more[i]);
  }
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    if (is_whole(i)) sum[i].store(task.target + unit[i].offset(task.stride));
  }
  if constexpr (elements > 1) {
#pragma unroll
    for (std::uint32_t i = 0; i < units; ++i) {
      if (!is_whole(i)) add_part<T>(task, terms, tile, unit[i]);
    }
  }
}

/// A kernel for each type: in one for all, ptxas kept values of all types in registers at once (255, and spilled).
template <typename T>
__global__ void __launch_bounds__(block_threads, 4)
    sums_kernel(const Board* board, const __grid_constant__ SumTable table) {
  constexpr std::uint32_t wide = wide_unit(sizeof(T));
  if (stopped(board)) return;
  for (std::uint32_t at = blockIdx.x; at < table.tile_count; at += gridDim.x) {
    const SumTile tile = table.tiles[at];
    const SumTask& task = table.tasks[tile.task];
    if (wide > 1 && task.wide) {
      add_units<T, wide>(task, table.terms, tile);
    } else {
      add_units<T, 1>(task, table.terms, tile);
    }
  }
}

/// Signed integers as unsigned ones, whose sums wrap around.
const void* kernel_of(Element element) {
  const auto address = [](void (*kernel)(const Board*, SumTable)) { return reinterpret_cast<const void*>(kernel); };
  switch (element) {
    case Element::i8:
    case Element::u8: return address(sums_kernel<std::uint8_t>);
    case Element::i16:
    case Element::u16: return address(sums_kernel<std::uint16_t>);
    case Element::i32:
    case Element::u32: return address(sums_kernel<std::uint32_t>);
    case Element::i64:
    case Element::u64: return address(sums_kernel<std::uint64_t>);
    case Element::f16: return address(sums_kernel<__half>);
    case Element::bf16: return address(sums_kernel<__nv_bfloat16>);
    case Element::f32: return address(sums_kernel<float>);
    case Element::f64: return address(sums_kernel<double>);
    case Element::c64: return address(sums_kernel<Complex<float>>);
    case Element::c128: return address(sums_kernel<Complex<double>>);
  }
  return nullptr;
}

}  // namespace

cudaError_t launch_sums(cudaStream_t stream, const Board* board, const SumTable& table, unsigned blocks) {
  SumTable its_table = table;
  void* parameters[] = {&board, &its_table};
  return cudaLaunchKernel(kernel_of(table.element), dim3(blocks), dim3(block_threads), parameters, 0, stream);
}

cudaError_t load_sum_kernels() {
  for (const Element element : {Element::u8, Element::u16, Element::u32, Element::u64, Element::f16, Element::bf16,
                                Element::f32, Element::f64, Element::c64, Element::c128}) {
    cudaFuncAttributes attributes;
    if (const auto error = cudaFuncGetAttributes(&attributes, kernel_of(element)); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace halocline::device::cuda

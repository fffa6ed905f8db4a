// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include <stdexcept>

#include "gpu/stress/kernels.hpp"

namespace halocline::test {
namespace {

constexpr unsigned threads = 128;

__device__ std::uint64_t mixed(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

/// The value of the cell (x, y, z) of the domain in a step: never NaN, exact in a float.
__device__ float value_of(const StressStep& step, std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto index = static_cast<std::uint64_t>((z * step.domain.y + y) * step.domain.x + x);
  return static_cast<float>(mixed(index ^ mixed(step.step * 64 + step.field)) % 16777213);
}

struct Cell {
  std::int64_t x, y, z;
};

/// The cell with number i of a box, x fastest.
__device__ Cell cell_of(const Box& box, std::int64_t i) {
  const std::int64_t nx = box.hi.x - box.lo.x;
  const std::int64_t ny = box.hi.y - box.lo.y;
  return {box.lo.x + i % nx, box.lo.y + i / nx % ny, box.lo.z + i / (nx * ny)};
}

__device__ std::int64_t cells_of(const Box& box) {
  return (box.hi.x - box.lo.x) * (box.hi.y - box.lo.y) * (box.hi.z - box.lo.z);
}

__device__ bool owned(const Box& box, const Cell& c) {
  return c.x >= box.lo.x && c.x < box.hi.x && c.y >= box.lo.y && c.y < box.hi.y && c.z >= box.lo.z && c.z < box.hi.z;
}

__device__ std::int64_t wrapped(std::int64_t at, std::int64_t extent) { return (at % extent + extent) % extent; }

__global__ void fill_kernel(View<float> view, StressStep step) {
  const std::uint64_t draw = mixed(step.seed + step.step * 4096 + blockIdx.x);
  if (step.longest_rest_ns > 0 && draw % 16 == 0) __nanosleep(static_cast<unsigned>(draw / 16 % step.longest_rest_ns));
  const std::int64_t all = cells_of(view.with_halo());
  for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < all;
       i += gridDim.x * std::int64_t{threads}) {
    const Cell c = cell_of(view.with_halo(), i);
    view(c.x, c.y, c.z) = owned(view.owned(), c) ? value_of(step, c.x, c.y, c.z) : __int_as_float(0x7fc00000);
  }
}

__global__ void compare_kernel(View<float> view, StressStep step, StressCount* count) {
  const std::int64_t all = cells_of(view.with_halo());
  unsigned long long seen = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < all;
       i += gridDim.x * std::int64_t{threads}) {
    const Cell c = cell_of(view.with_halo(), i);
    const float expected =
        value_of(step, wrapped(c.x, step.domain.x), wrapped(c.y, step.domain.y), wrapped(c.z, step.domain.z));
    ++seen;
    if (view(c.x, c.y, c.z) == expected) continue;
    if (atomicAdd(reinterpret_cast<unsigned long long*>(&count->wrong), 1ull) != 0) continue;
    count->first_step = step.step + 1;
    count->first_cell[0] = c.x;
    count->first_cell[1] = c.y;
    count->first_cell[2] = c.z;
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(&count->compared), seen);
}

unsigned blocks_for(const View<float>& view) {
  const Vec3 extent = view.with_halo().extent();
  const std::int64_t wanted = (extent.volume() + threads - 1) / threads;
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, 512));
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

}  // namespace

void fill(void* stream, const View<float>& view, const StressStep& step) {
  fill_kernel<<<blocks_for(view), threads, 0, static_cast<cudaStream_t>(stream)>>>(view, step);
  check(cudaGetLastError());
}

void compare(void* stream, const View<float>& view, const StressStep& step, StressCount* count) {
  compare_kernel<<<blocks_for(view), threads, 0, static_cast<cudaStream_t>(stream)>>>(view, step, count);
  check(cudaGetLastError());
}

}  // namespace halocline::test

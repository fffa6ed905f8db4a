// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "baselines/block.hpp"
#include "baselines/tiles.cuh"

namespace halocline::bench {
namespace {

constexpr unsigned threads = items_a_tile;

template <BlockSize size>
__global__ void __launch_bounds__(static_cast<unsigned>(size)) copy_kernel(const __grid_constant__ Job job) {
  copy_tiles(job, 0, job.tiles);
}

/// A function of a cell's place in the domain; exact in fp32.
__device__ float value_at(const std::int64_t (&place)[3], int field, std::uint32_t round) {
  std::uint32_t h = round * 2654435761U + static_cast<std::uint32_t>(field);
  for (const std::int64_t part : place) {
    h = (h ^ static_cast<std::uint32_t>(part)) * 2246822519U;
    h ^= h >> 13;
  }
  return static_cast<float>(h >> 8);
}

__device__ std::int64_t all_cells(const Cells& c) {
  return (c.n[0] + 2 * c.radius) * (c.n[1] + 2 * c.radius) * (c.n[2] + 2 * c.radius);
}

/// Visits all cells, halo included: visit(field, address, place in the domain, owned).
template <typename Visit>
__device__ void for_each_cell(const Cells& c, const Visit& visit) {
  const std::int64_t cells = all_cells(c);
  const std::int64_t width = c.n[0] + 2 * c.radius;
  const std::int64_t height = c.n[1] + 2 * c.radius;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < cells;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t at[3] = {i % width - c.radius, i / width % height - c.radius, i / (width * height) - c.radius};
    bool owned = true;
    std::int64_t place[3];
    for (int dim = 0; dim < 3; ++dim) {
      owned = owned && at[dim] >= 0 && at[dim] < c.n[dim];
      place[dim] = (at[dim] + c.origin[dim] + c.domain[dim]) % c.domain[dim];
    }
    for (int f = 0; f < c.fields; ++f)
      visit(f, c.field[f] + at[2] * c.stride_z + at[1] * c.stride_y + at[0], place, owned);
  }
}

__global__ void fill_kernel(Cells c, std::uint32_t round) {
  for_each_cell(c, [&](int field, float* cell, const std::int64_t(&place)[3], bool owned) {
    *cell = owned ? value_at(place, field, round) : nanf("");
  });
}

__global__ void check_kernel(Cells c, std::uint32_t round, unsigned long long* wrong) {
  for_each_cell(c, [&](int field, const float* cell, const std::int64_t(&place)[3], bool) {
    // NaN is equal to nothing.
    if (!(*cell == value_at(place, field, round))) atomicAdd(wrong, 1ULL);
  });
}

constexpr unsigned blocks_of_whole_arrays = 4096;

OwnedStream stream_of_priority(bool high) {
  int lowest = 0;
  int highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high ? highest : lowest),
        "cudaStreamCreateWithPriority");
  return OwnedStream(stream);
}

}  // namespace

DeviceMemory cuda_memory(std::size_t bytes) {
  auto memory = std::make_shared<OwnedMemory>(make_memory(bytes));
  return {memory, memory->get()};
}

Cells cells_of(const Workload& workload, std::int64_t rank) {
  Cells cells{};
  cells.radius = workload.radius;
  cells.fields = workload.fields;
  const Vec3 position = position_of(workload, rank);
  for (int dim = 0; dim < 3; ++dim) {
    cells.n[dim] = workload.cells[dim];
    cells.origin[dim] = position[dim] * workload.cells[dim];
    cells.domain[dim] = workload.grid[dim] * workload.cells[dim];
  }
  return cells;
}

void fill(const Cells& cells, std::uint32_t round, cudaStream_t stream) {
  fill_kernel<<<blocks_of_whole_arrays, threads, 0, stream>>>(cells, round);
  check_launch("fill_kernel");
}

std::int64_t wrong_cells(const Cells& cells, std::uint32_t round, cudaStream_t stream) {
  const OwnedMemory counter = make_memory(sizeof(unsigned long long));
  check_kernel<<<blocks_of_whole_arrays, threads, 0, stream>>>(cells, round,
                                                               static_cast<unsigned long long*>(counter.get()));
  check_launch("check_kernel");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  unsigned long long wrong = 0;
  check(cudaMemcpy(&wrong, counter.get(), sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return static_cast<std::int64_t>(wrong);
}

Block::Block(const Workload& workload, std::int64_t rank, const Allocator& allocate)
    : workload_(workload), rank_(rank), plan_(plan_of(workload, rank)) {
  const ArrayLayout layout(workload);
  arrays_ = allocate(sizeof(float) * static_cast<std::size_t>(layout.elements));
  stream_ = stream_of_priority(true);
  side_stream_ = stream_of_priority(false);
  cells_ = cells_of(workload, rank);
  for (int f = 0; f < workload.fields; ++f) cells_.field[f] = arrays() + f * layout.field + layout.at({0, 0, 0});
  cells_.stride_y = layout.y;
  cells_.stride_z = layout.z;
}

void launch_copies(const Job& job, unsigned blocks, cudaStream_t stream, BlockSize size) {
  if (job.tiles == 0) return;
  const auto width = static_cast<unsigned>(size);
  const unsigned at_once = width / items_a_tile;
  const unsigned grid = std::min(blocks, (job.tiles + at_once - 1) / at_once);
  if (size == BlockSize::small) {
    copy_kernel<BlockSize::small><<<grid, width, 0, stream>>>(job);
  } else {
    copy_kernel<BlockSize::large><<<grid, width, 0, stream>>>(job);
  }
  check_launch("copy_kernel");
}

}  // namespace halocline::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "support/cuda.cuh"
#include "x_halos/stars.hpp"

namespace halocline::bench {
namespace {

constexpr int width = 128;  // cells of a block in x
constexpr int rows = 2;     // and in y
constexpr int planes = 16;  // that a thread goes through

/// along_x(x) is a cell of this row; cells(x, y, z) is a cell of any other row.
template <int Radius, typename T, typename Row, typename Cells>
__device__ T mean(const Row& along_x, const Cells& cells, std::int64_t x, std::int64_t y, std::int64_t z) {
  T sum = along_x(x);
#pragma unroll
  for (int d = 1; d <= Radius; ++d) {
    sum += along_x(x - d) + along_x(x + d);
    sum += cells(x, y - d, z) + cells(x, y + d, z);
    sum += cells(x, y, z - d) + cells(x, y, z + d);
  }
  return sum * (T(1) / (6 * Radius + 1));
}

/// The cells of a block.
struct Tile {
  std::int64_t x, y, from_z, to_z;  ///< of this thread
  __device__ explicit Tile(const Box& box)
      : x(box.lo.x + blockIdx.x * width + threadIdx.x),
        y(box.lo.y + blockIdx.y * rows + threadIdx.y),
        from_z(box.lo.z + blockIdx.z * planes),
        to_z(from_z + planes < box.hi.z ? from_z + planes : box.hi.z) {}
};

/// Each cell that is read, by the view.
template <int Radius, typename T, typename Cells>
__global__ void __launch_bounds__(width* rows)
    plain(const __grid_constant__ Box box, const __grid_constant__ Cells now, const __grid_constant__ View<T> next) {
  const Tile tile(box);
  if (tile.x >= box.hi.x || tile.y >= box.hi.y) return;
  for (std::int64_t z = tile.from_z; z < tile.to_z; ++z) {
    next(tile.x, tile.y, z) =
        mean<Radius, T>([&](std::int64_t x) { return now(x, tile.y, z); }, now, tile.x, tile.y, z);
  }
}

template <typename T>
__device__ auto row_of(const View<const T>& view, std::int64_t y, std::int64_t z) {
  return [&view, y, z](std::int64_t x) { return view(x, y, z); };
}
template <typename T>
__device__ auto row_of(const SplitView<const T>& view, std::int64_t y, std::int64_t z) {
  return view.row(y, z);
}

/// The block's rows are brought into shared memory, so that halos in x are read by few threads. Edges of boxes are multiples of its cells.
template <int Radius, typename T, typename Cells>
__global__ void __launch_bounds__(width* rows)
    staged(const __grid_constant__ Box box, const __grid_constant__ Cells now,
           const __grid_constant__ View<const T> in_rows, const __grid_constant__ View<T> next) {
  __shared__ T brought[2][rows][width + 2 * Radius];  // of this plane and of the next one
  const Tile tile(box);
  const int at = static_cast<int>(threadIdx.x) + Radius;
  for (std::int64_t z = tile.from_z; z < tile.to_z; ++z) {
    T* const row = brought[z % 2][threadIdx.y];
    row[at] = in_rows(tile.x, tile.y, z);
    if (threadIdx.x < 2 * Radius) {
      const bool below = threadIdx.x < Radius;
      const std::int64_t x = below ? tile.x - Radius : tile.x - Radius + width;
      row[below ? threadIdx.x : threadIdx.x + width] = row_of(now, tile.y, z)(x);
    }
    __syncthreads();
    const auto along_x = [&](std::int64_t x) { return row[at + (x - tile.x)]; };
    next(tile.x, tile.y, z) = mean<Radius, T>(along_x, in_rows, tile.x, tile.y, z);
  }
}

template <int Radius, typename T, typename Cells>
void launch(const Subdomain& s, Field<T> field, const Cells& now, const View<const T>& in_rows, bool stages) {
  const DeviceGuard current(s);
  const Vec3 cells = s.owned().extent();
  if (cells.x % width != 0 || cells.y % rows != 0) {
    throw InvalidArgument("cells of a subdomain in x and y are " + std::to_string(cells.x) + " and " +
                          std::to_string(cells.y) + "; allowed are multiples of 128 and 2");
  }
  const dim3 blocks(static_cast<unsigned>(cells.x / width), static_cast<unsigned>(cells.y / rows),
                    static_cast<unsigned>((cells.z + planes - 1) / planes));
  const dim3 threads(width, rows);
  const cudaStream_t stream = cuda_stream(s.stream());
  const View<T> next = s.split_view(field, 1).rows();
  if (stages) staged<Radius, T><<<blocks, threads, 0, stream>>>(s.owned(), now, in_rows, next);
  else plain<Radius, T><<<blocks, threads, 0, stream>>>(s.owned(), now, next);
  check_launch("star");
}

template <int Radius, typename T>
void enqueue(const Subdomain& s, Field<T> field, Reads reads) {
  const Field<const T> now{field.id};
  if (reads.split) return launch<Radius>(s, field, s.split_view(now), s.split_view(now).rows(), reads.staged);
  launch<Radius>(s, field, s.view(now), s.view(now), reads.staged);
}

}  // namespace

template <typename T>
void enqueue_star(const Subdomain& subdomain, Field<T> field, int radius, Reads reads) {
  if (radius == 1) return enqueue<1>(subdomain, field, reads);
  if (radius == 3) return enqueue<3>(subdomain, field, reads);
  throw InvalidArgument("radius of a star is " + std::to_string(radius) + "; allowed are 1 and 3");
}
template void enqueue_star(const Subdomain&, Field<float>, int, Reads);
template void enqueue_star(const Subdomain&, Field<double>, int, Reads);

}  // namespace halocline::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "dense_copies.hpp"

#include <halocline/error.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace halocline::python {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw DeviceError(std::string(what) + ": " + cudaGetErrorString(code));
}

/// Cells in memory with strides in bytes, and their number.
struct Cells {
  std::byte* first;
  std::int64_t stride_x, stride_y, stride_z, stride_component;
  std::int64_t nx, ny, nz;
  std::int64_t rows;  ///< of all components
};

Cells cells_of(const ByteView& view, const Box& box, const FieldDescriptor& field) {
  const auto stride = view.stride_bytes();
  const Vec3 n = box.extent();
  return {&view(box.lo),
          stride[0],
          stride[1],
          stride[2],
          view.component_stride_bytes(),
          n.x,
          n.y,
          n.z,
          n.y * n.z * field.components};
}

/// Two numbers that are aligned as one is.
struct Pair {
  std::uint64_t first, second;
};

enum class Way { from_dense, to_dense, zero };

/// A row of threads for each row of cells; a word is an element.
template <Way way, typename Word>
__global__ void move(Cells cells, Word* dense) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.y;
  for (std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y; row < cells.rows;
       row += step) {
    const std::int64_t plane = row / cells.ny;
    std::byte* first = cells.first + row % cells.ny * cells.stride_y + plane % cells.nz * cells.stride_z +
                       plane / cells.nz * cells.stride_component;
    for (std::int64_t x = threadIdx.x; x < cells.nx; x += blockDim.x) {
      Word& cell = *reinterpret_cast<Word*>(first + x * cells.stride_x);
      if constexpr (way == Way::zero) {
        cell = Word{};
      } else if constexpr (way == Way::from_dense) {
        cell = dense[row * cells.nx + x];
      } else {
        dense[row * cells.nx + x] = cell;
      }
    }
  }
}

template <Way way, typename Word>
void launch(CUstream_st* stream, const Cells& cells, std::byte* dense) {
  if (cells.rows == 0 || cells.nx == 0) return;
  const dim3 block(32, 8);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((cells.rows + block.y - 1) / block.y, 65535));
  move<way><<<blocks, block, 0, stream>>>(cells, reinterpret_cast<Word*>(dense));
  check(cudaGetLastError(), "copying between a field and a dense array");
}

template <Way way>
void run(CUstream_st* stream, const ByteView& view, const Box& box, const FieldDescriptor& field, std::byte* dense) {
  const Cells cells = cells_of(view, box, field);
  switch (bytes_of(field.element)) {
    case 1: return launch<way, std::uint8_t>(stream, cells, dense);
    case 2: return launch<way, std::uint16_t>(stream, cells, dense);
    case 4: return launch<way, std::uint32_t>(stream, cells, dense);
    case 8: return launch<way, std::uint64_t>(stream, cells, dense);
    case 16: return launch<way, Pair>(stream, cells, dense);
    default: throw InternalError("an element of a size that no kernel copies");
  }
}

void require_same_gpu(const void* array, const void* cell) {
  cudaPointerAttributes given{};
  cudaPointerAttributes own{};
  check(cudaPointerGetAttributes(&given, array), "cudaPointerGetAttributes");
  check(cudaPointerGetAttributes(&own, cell), "cudaPointerGetAttributes");
  if (given.device == own.device) return;
  throw InvalidArgument("an array is on GPU " + std::to_string(given.device) + "; allowed is GPU " +
                        std::to_string(own.device) + ", where its block is");
}

class GpuCopies final : public DenseCopies {
 public:
  explicit GpuCopies(CUstream_st* stream) : stream_(stream) {}
  void fill(const ByteView& view, const Box& box, const FieldDescriptor& field, const std::byte* dense) const override {
    if (dense == nullptr) return run<Way::zero>(stream_, view, box, field, nullptr);
    require_same_gpu(dense, view.data());
    run<Way::from_dense>(stream_, view, box, field, const_cast<std::byte*>(dense));
  }
  void take(const ByteView& view, const Box& box, const FieldDescriptor& field, std::byte* dense) const override {
    require_same_gpu(dense, view.data());
    run<Way::to_dense>(stream_, view, box, field, dense);
  }

 private:
  CUstream_st* stream_;
};

}  // namespace

std::unique_ptr<DenseCopies> gpu_copies(CUstream_st* stream) { return std::make_unique<GpuCopies>(stream); }

}  // namespace halocline::python

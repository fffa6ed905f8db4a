// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include <vector>

#include "common/updates.cuh"
#include "device/backend.hpp"
#include "laplace3d/kernels.hpp"
#include "laplace3d/update.cuh"

namespace laplace3d {
namespace cuda {
namespace {

using halocline::Box;
using halocline::View;
using halocline::device::Stream;

/// Of a block that sets initial values.
constexpr int threads = 256;

template <typename T>
__global__ void initialise(const Box box, const View<T> target) {
  const std::int64_t rows_y = box.hi.y - box.lo.y;
  const std::int64_t rows = rows_y * (box.hi.z - box.lo.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const std::int64_t y = box.lo.y + row % rows_y;
    const std::int64_t z = box.lo.z + row / rows_y;
    for (std::int64_t x = box.lo.x + threadIdx.x; x < box.hi.x; x += blockDim.x) {
      target(x, y, z) = static_cast<T>(initial_value(x, y, z));
    }
  }
}

template <typename T>
class CudaKernels : public Kernels<T> {
 public:
  CudaKernels(halocline::device::Backend& backend, const Problem& problem) : problem_(problem), devices_(backend) {
    devices_.load({reinterpret_cast<const void*>(&cuda::update<T, 1, 7, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, 7, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, 1, 7, two>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, 7, two>),
                   reinterpret_cast<const void*>(&cuda::update<T, 1, 19, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, 19, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, 1, 19, two>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, 19, two>),
                   reinterpret_cast<const void*>(&cuda::initialise<T>)});
  }

  void initialise(Stream& stream, const Box& box, const View<T>& target) override {
    stream.enqueue([box, target, ordinal = devices_.ordinal(stream)](Stream& at) {
      const OnDevice on(ordinal);
      cuda::initialise<T><<<1024, threads, 0, native(at)>>>(box, target);
      check(cudaGetLastError(), "launching the initial state");
    });
  }

  void update(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) override {
    const std::vector<Box> present = present_boxes("laplace3d", boxes, most_boxes);
    if (present.empty()) return;
    if (problem_.stencil == Stencil::points7) {
      update<7>(stream, present, source, target);
    } else {
      update<19>(stream, present, source, target);
    }
  }

 private:
  /// Cells of 16 bytes.
  static constexpr int most = 16 / sizeof(T);
  static constexpr int two = static_cast<int>(most_boxes);

  template <int Points>
  void update(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) {
    if (in_one_grid(boxes)) {
      launch<Points, 1>(stream, boxes, source, target);
    } else {
      launch<Points, two>(stream, boxes, source, target);
    }
  }

  template <int Points, int Most>
  void launch(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) {
    Work<T, Points, Most> work{{}, StencilOf<T, Points>::with(Weights<T>(problem_.coefficients))};
    const Launch how =
        prepare("laplace3d", work, boxes, source, target, 0, work.shape, devices_.multiprocessors(stream));
    enqueue_update(devices_, stream,
                   how.group == most ? &cuda::update<T, most, Points, Most> : &cuda::update<T, 1, Points, Most>,
                   how.grid, work);
  }

  Problem problem_;
  Devices devices_;
};

}  // namespace
}  // namespace cuda

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(halocline::device::Backend& backend, const Problem& problem) {
  return std::make_unique<cuda::CudaKernels<T>>(backend, problem);
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(halocline::device::Backend&, const Problem&);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(halocline::device::Backend&, const Problem&);

}  // namespace laplace3d

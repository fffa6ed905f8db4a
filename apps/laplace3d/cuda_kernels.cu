#include <cuda_runtime.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "common/cut.cuh"
#include "common/launch.cuh"
#include "halocline/core/error.hpp"
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
  CudaKernels(halocline::device::Backend& backend, const Problem& problem) : problem_(problem) {
    for (int device = 0; device < backend.device_count(); ++device) {
      ordinals_.push_back(backend.info(device).native_ordinal);
      const OnDevice on(ordinals_.back());
      processors_.push_back(multiprocessors_of(ordinals_.back()));
      // A kernel that is loaded at its first launch may have to wait for what runs, such as an exchange.
      for (const void* kernel : {reinterpret_cast<const void*>(&cuda::update<T, 1, 7, 1, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 7, 1, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 7, two, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 7, two, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 19, 1, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 19, 1, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 19, two, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 19, two, NoFaces>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 7, 1, StoredFaces<T>>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 7, 1, StoredFaces<T>>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 19, 1, StoredFaces<T>>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 19, 1, StoredFaces<T>>),
                                 reinterpret_cast<const void*>(&cuda::initialise<T>)}) {
        cudaFuncAttributes attributes{};
        check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
      }
    }
  }

  void initialise(Stream& stream, const Box& box, const View<T>& target) override {
    stream.enqueue([box, target, ordinal = ordinal(stream)](Stream& at) {
      const OnDevice on(ordinal);
      cuda::initialise<T><<<1024, threads, 0, native(at)>>>(box, target);
      check(cudaGetLastError(), "launching the initial state");
    });
  }

  void update(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) override {
    std::vector<Box> present;
    std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(present), [](const Box& box) { return !box.empty(); });
    if (present.empty()) return;
    if (present.size() > most_boxes) {
      throw halocline::InvalidArgument("laplace3d: an update has " + std::to_string(present.size()) +
                                       " boxes; allowed are up to 2");
    }
    if (problem_.stencil == Stencil::points7) {
      update<7>(stream, present, source, target);
    } else {
      update<19>(stream, present, source, target);
    }
  }

  void update_and_store(Stream& stream, const Box& box, const View<const T>& source, const View<T>& target,
                        const apps::RowOutlets<T>& outlets) override {
    if (!in_one_grid({&box, 1})) {
      throw halocline::InvalidArgument("laplace3d: kernels store halos of a slab of " + to_string(box.extent()) +
                                       " cells; allowed are up to " + std::to_string(most_blocks_yz) + " in y and z");
    }
    if (problem_.stencil == Stencil::points7) {
      launch<7, 1, StoredFaces<T>>(stream, {&box, 1}, source, target, outlets);
    } else {
      launch<19, 1, StoredFaces<T>>(stream, {&box, 1}, source, target, outlets);
    }
  }

 private:
  /// Cells of 16 bytes.
  static constexpr int most = 16 / sizeof(T);
  static constexpr int two = static_cast<int>(most_boxes);

  template <int Points>
  void update(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target) {
    if (in_one_grid(boxes)) {
      launch<Points, 1, NoFaces>(stream, boxes, source, target);
    } else {
      launch<Points, two, NoFaces>(stream, boxes, source, target);
    }
  }

  template <int Points, int Most, typename F>
  void launch(Stream& stream, std::span<const Box> boxes, const View<const T>& source, const View<T>& target,
              const apps::RowOutlets<T>& outlets = {}) {
    const int group = in_groups(source) && in_groups(target) && in_groups(outlets) ? most : 1;
    Work<T, Points, Most, F> work{{}, StencilOf<T, Points>::with(Weights<T>(problem_.coefficients)), {}};
    if constexpr (F::stored) work.faces.set(boxes.front(), outlets);
    set_arrays(work, source, target, 0);
    const Grid grid =
        cut("laplace3d", work, boxes, group, work.shape, processors_[static_cast<std::size_t>(stream.device())]);
    stream.enqueue([work, group, grid, ordinal = ordinal(stream)](Stream& at) {
      const OnDevice on(ordinal);
      if (group == most) {
        cuda::update<T, most, Points, Most, F><<<grid.blocks, grid.threads, 0, native(at)>>>(work);
      } else {
        cuda::update<T, 1, Points, Most, F><<<grid.blocks, grid.threads, 0, native(at)>>>(work);
      }
      check(cudaGetLastError(), "launching an update");
    });
  }

  [[nodiscard]] int ordinal(const Stream& stream) const { return ordinals_[static_cast<std::size_t>(stream.device())]; }
  [[nodiscard]] static cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

  Problem problem_;
  std::vector<int> ordinals_;    ///< CUDA's, by the backend's
  std::vector<int> processors_;  ///< multiprocessors, by the backend's ordinal
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

#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

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

constexpr int threads = lanes * warps;

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

/// wanted: warps that a launch should have at least, as long as they march through a plane or more.
Piece piece_of(const Box& box, int group, std::int64_t wanted) {
  constexpr std::int64_t longest_march = 16;
  const auto size = box.extent();
  Piece piece;
  piece.box = box;
  piece.tiles_x = static_cast<int>(parts_of(parts_of(size.x, group), lanes));
  while (piece.warps_y < warps && piece.warps_y < size.y) piece.warps_y *= 2;
  piece.tiles_y = static_cast<int>(parts_of(size.y, piece.warps_y));
  piece.planes = static_cast<int>(std::clamp<std::int64_t>(size.y * piece.tiles_x * size.z / wanted, 1, longest_march));
  return piece;
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
      for (const void* kernel : {reinterpret_cast<const void*>(&cuda::update<T, 1, 7>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 7>),
                                 reinterpret_cast<const void*>(&cuda::update<T, 1, 19>),
                                 reinterpret_cast<const void*>(&cuda::update<T, most, 19>),
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
    constexpr std::int64_t warps_a_processor = 32;
    constexpr std::int64_t waves = 4;
    const int group = in_groups(source) && in_groups(target) ? most : 1;
    const std::int64_t wanted = warps_a_processor * waves * processors_[static_cast<std::size_t>(stream.device())];
    Work<T> work{source, target, Weights<T>(problem_.coefficients), {}, 0};
    std::int64_t blocks = 0;
    for (const Box& box : boxes) {
      if (box.empty()) continue;
      if (static_cast<std::size_t>(work.count) == most_boxes) {
        throw halocline::InvalidArgument("laplace3d: an update has 3 or more boxes; allowed are up to 2");
      }
      Piece piece = piece_of(box, group, wanted);
      piece.first_block = static_cast<int>(blocks);
      const std::int64_t depth = std::int64_t{warps / piece.warps_y} * piece.planes;
      blocks += std::int64_t{piece.tiles_x} * piece.tiles_y * parts_of(box.extent().z, depth);
      work.pieces[work.count++] = piece;
    }
    if (work.count == 0) return;
    if (blocks > std::int64_t{0x7fffffff}) {
      throw halocline::InvalidArgument("laplace3d: an update has " + std::to_string(blocks) +
                                       " blocks; allowed are up to 2147483647");
    }
    if (problem_.stencil == Stencil::points7) {
      launch<7>(stream, work, group, static_cast<unsigned>(blocks));
    } else {
      launch<19>(stream, work, group, static_cast<unsigned>(blocks));
    }
  }

 private:
  /// Cells of 16 bytes.
  static constexpr int most = 16 / sizeof(T);

  template <int Points>
  void launch(Stream& stream, const Work<T>& work, int group, unsigned blocks) {
    stream.enqueue([work, group, blocks, ordinal = ordinal(stream)](Stream& at) {
      const OnDevice on(ordinal);
      if (group == most) {
        cuda::update<T, most, Points><<<blocks, threads, 0, native(at)>>>(work);
      } else {
        cuda::update<T, 1, Points><<<blocks, threads, 0, native(at)>>>(work);
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

// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "common/rows.cuh"
#include "common/updates.cuh"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "jacobi3d/kernels.hpp"
#include "jacobi3d/update_one.cuh"

namespace jacobi3d {
namespace cuda {
namespace {

using halocline::Box;
using halocline::Subdomain;
using halocline::Vec3;
using halocline::View;
using halocline::device::Stream;

/// Of a block of the passes over rows.
constexpr int threads = 512;
/// Blocks of the passes over rows; also how many parts a sum is made of, so that it does not depend on the GPU.
constexpr int row_blocks = 1024;

struct Spheres {
  Sphere of[2];
};

template <typename T>
__global__ void initialise(const Box box, const View<T> target, const Spheres spheres) {
  apps::cuda::for_rows(box, [&](std::int64_t y, std::int64_t z) {
    for (std::int64_t x = box.lo.x + threadIdx.x; x < box.hi.x; x += blockDim.x) {
      double value = initial;
      for (const Sphere& sphere : spheres.of) {
        if (holds(sphere, x, y, z)) value = sphere.value;
      }
      target(x, y, z) = static_cast<T>(value);
    }
  });
}

/// The block's values as one, in thread 0: halves are added to halves.
__device__ Difference sum_of_block(const Difference& mine) {
  __shared__ double largest[threads];
  __shared__ double squares[threads];
  const auto t = threadIdx.x;
  largest[t] = mine.max;
  squares[t] = mine.sum_of_squares;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      largest[t] = fmax(largest[t], largest[t + half]);
      squares[t] += squares[t + half];
    }
  }
  return {largest[0], squares[0]};
}

template <typename T>
__global__ void difference_of_rows(const Box box, const View<const T> before, const View<const T> after,
                                   Difference* parts) {
  Difference mine;
  apps::cuda::for_rows(box, [&](std::int64_t y, std::int64_t z) {
    for (std::int64_t x = box.lo.x + threadIdx.x; x < box.hi.x; x += blockDim.x) {
      const double d = static_cast<double>(after(x, y, z)) - static_cast<double>(before(x, y, z));
      mine.max = fmax(mine.max, fabs(d));
      mine.sum_of_squares += d * d;
    }
  });
  const Difference all = sum_of_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

__global__ void difference_of_parts(const Difference* parts, Difference* result) {
  Difference mine;
  for (int part = static_cast<int>(threadIdx.x); part < row_blocks; part += threads) {
    mine.max = fmax(mine.max, parts[part].max);
    mine.sum_of_squares += parts[part].sum_of_squares;
  }
  const Difference all = sum_of_block(mine);
  if (threadIdx.x == 0) *result = all;
}

/// Which of a box's rows and planes may have cells of spheres.
Reach reach_of(std::span<const Sphere> spheres, const Box& box) {
  Reach reach;
  const auto widen = [](int(&range)[2], std::int64_t lo, std::int64_t hi) {
    const bool first = range[0] == range[1];
    range[0] = static_cast<int>(first ? lo : std::min<std::int64_t>(range[0], lo));
    range[1] = static_cast<int>(first ? hi : std::max<std::int64_t>(range[1], hi));
  };
  for (const Sphere& sphere : spheres) {
    const Vec3 radius{sphere.radius, sphere.radius, sphere.radius};
    const Box cells = box.intersection({sphere.centre - radius, sphere.centre + radius + Vec3{1, 1, 1}});
    if (cells.empty()) continue;
    widen(reach.rows, cells.lo.y - box.lo.y, cells.hi.y - box.lo.y);
    widen(reach.planes, cells.lo.z - box.lo.z, cells.hi.z - box.lo.z);
  }
  return reach;
}

template <typename T>
class CudaKernels : public Kernels<T> {
 public:
  CudaKernels(const halocline::Domain& domain, const Problem& problem)
      : problem_(problem), devices_(internals(domain).backend()) {
    devices_.load({reinterpret_cast<const void*>(&cuda::update<T, 1, two, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, two, 1>),
                   reinterpret_cast<const void*>(&cuda::update<T, 1, two, most_boxes>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, two, most_boxes>),
                   reinterpret_cast<const void*>(&cuda::update<T, 1, most_images, most_boxes>),
                   reinterpret_cast<const void*>(&cuda::update<T, most, most_images, most_boxes>),
                   reinterpret_cast<const void*>(&cuda::initialise<T>),
                   reinterpret_cast<const void*>(&difference_of_rows<T>),
                   reinterpret_cast<const void*>(&difference_of_parts)});
    // With doubles it has too few registers, and took 2 % longer at 512^3.
    if constexpr (std::is_same_v<T, float>) {
      devices_.load({reinterpret_cast<const void*>(&cuda::update_one<T, most, two, false, false>),
                     reinterpret_cast<const void*>(&cuda::update_one<T, most, two, true, false>)});
      const int awaiting = devices_.load({reinterpret_cast<const void*>(&cuda::update_one<T, most, two, false, true>),
                                          reinterpret_cast<const void*>(&cuda::update_one<T, most, two, true, true>)});
      awaits_ = awaiting >= first_ptx_that_waits;
    }
    for (const Subdomain& subdomain : domain.subdomains()) {
      parts_[subdomain.id()] =
          internals(domain).backend().allocate(subdomain.device(), row_blocks * sizeof(Difference));
    }
    const auto spheres = problem.spheres();
    std::copy(spheres.begin(), spheres.end(), spheres_.of);
  }

  void initialise(const Subdomain& subdomain, const View<T>& target) override {
    stream_of(subdomain).enqueue([=, owned = subdomain.owned(), ordinal = devices_.ordinal(stream_of(subdomain)),
                                  spheres = spheres_](Stream& at) {
      const OnDevice on(ordinal);
      cuda::initialise<T><<<row_blocks, threads, 0, native(at)>>>(owned, target, spheres);
      check(cudaGetLastError(), "launching the initial state");
    });
  }

  void update(const Subdomain& subdomain, std::span<const Box> boxes, const View<const T>& source,
              const View<T>& target) override {
    const std::vector<Box> present = present_boxes("jacobi3d", boxes, most_boxes);
    if (present.empty()) return;
    update(subdomain, present, source, target, Start::in_turn);
  }

  /// Where x and y are not cut, and the box is one of update_one()'s; otherwise as update().
  void update_awaiting(const Subdomain& subdomain, const View<const T>& source, const View<T>& target) override {
    const bool around = subdomain.wraps(0) && subdomain.owned().extent().y == problem_.extent.y;
    update(subdomain, {subdomain.owned()}, source, target, awaits_ && around ? Start::early : Start::in_turn);
  }

  /// Rows of whole groups: the first and the last of a row that begins one cell further in would be stored cell by cell.
  /// What is computed beyond the interior may have read halos that are being written, and is overwritten.
  void update_interior(const Subdomain& subdomain, const View<const T>& source, const View<T>& target) override {
    constexpr std::int64_t group = 16 / sizeof(T);
    Box box = subdomain.interior();
    const Box& owned = subdomain.owned();
    if (!box.empty()) {
      box.lo.x = owned.lo.x + (box.lo.x - owned.lo.x) / group * group;
      box.hi.x = std::min(owned.hi.x, owned.lo.x + parts_of(box.hi.x - owned.lo.x, group) * group);
    }
    update(subdomain, {&box, 1}, source, target);
  }

  void difference(const Subdomain& subdomain, const View<const T>& before, const View<const T>& after,
                  Difference* result) override {
    auto* parts = reinterpret_cast<Difference*>(parts_.at(subdomain.id())->data());
    stream_of(subdomain).enqueue(
        [=, owned = subdomain.owned(), ordinal = devices_.ordinal(stream_of(subdomain))](Stream& at) {
          const OnDevice on(ordinal);
          difference_of_rows<T><<<row_blocks, threads, 0, native(at)>>>(owned, before, after, parts);
          difference_of_parts<<<1, threads, 0, native(at)>>>(parts, result);
          check(cudaGetLastError(), "launching a residual");
        });
  }

 private:
  /// present: boxes of which none is empty.
  void update(const Subdomain& subdomain, const std::vector<Box>& present, const View<const T>& source,
              const View<T>& target, Start start) {
    const std::vector<Sphere> spheres = problem_.images(present);
    if (spheres.size() > two) {
      launch<most_images, most_boxes>(subdomain, present, source, target, spheres);
    } else if (in_one_grid(present)) {
      launch<two, 1>(subdomain, present, source, target, spheres, start);
    } else {
      launch<two, most_boxes>(subdomain, present, source, target, spheres);
    }
  }

  /// Whether steps go through planes in turns forwards and backwards: where a part of an array stays in the cache that counts.
  static bool gains_by_turning(const Box& box, std::int64_t cache) {
    const auto bytes = box.extent().volume() * static_cast<std::int64_t>(sizeof(T));
    return bytes > cache / 2 && bytes < 4 * cache;
  }
  /// Cells of 16 bytes.
  static constexpr int most = 16 / sizeof(T);
  /// Spheres of a launch that stays in the domain: others, which are rare, take a kernel of their own.
  static constexpr std::size_t two = 2;

  template <std::size_t S, int B>
  void launch(const Subdomain& subdomain, std::span<const Box> boxes, const View<const T>& source,
              const View<T>& target, const std::vector<Sphere>& spheres, Start start = Start::in_turn) {
    Work<T, S, B> work;
    const int around = subdomain.wraps(0) ? static_cast<int>(subdomain.owned().extent().x) : 0;
    const Launch how =
        prepare("jacobi3d", work, boxes, source, target, around, shape, devices_.multiprocessors(stream_of(subdomain)));
    std::fill(std::copy(spheres.begin(), spheres.end(), work.spheres), std::end(work.spheres), spheres.back());
    for (int i = 0; i < work.count; ++i) work.reach[i] = reach_of(spheres, work.pieces[i].box);
    if constexpr (S == two && B == 1 && std::is_same_v<T, float>) {
      const auto one = one_box_of<most>(boxes.front().extent(), devices_.multiprocessors(stream_of(subdomain)));
      if (one && how.group == most && work.pieces[0].past == 0) {
        work.backwards = std::less<const T*>()(target.data(), source.data()) &&
                         gains_by_turning(boxes.front(), devices_.cache_bytes(stream_of(subdomain)));
        work.planes = one->planes;
        work.around_y = (boxes.front().extent().y - 1) * work.source_pitch.y;
        const bool early = start == Start::early;
        const auto kernel =
            one->whole ? early ? &cuda::update_one<T, most, S, true, true> : &cuda::update_one<T, most, S, true, false>
            : early ? &cuda::update_one<T, most, S, false, true>
                       : &cuda::update_one<T, most, S, false, false>;
        enqueue_update(devices_, stream_of(subdomain), kernel,
                       Grid{one->grid, static_cast<unsigned>(lanes * rows_of_block)}, work, start);
        return;
      }
    }
    enqueue_update(devices_, stream_of(subdomain),
                   how.group == most ? &cuda::update<T, most, S, B> : &cuda::update<T, 1, S, B>, how.grid, work);
  }

  Problem problem_;
  Devices devices_;
  bool awaits_ = false;  ///< whether kernels that await halos may start early on all devices
  std::map<halocline::subdomain_id, std::unique_ptr<halocline::device::Buffer>> parts_;
  Spheres spheres_;
};

}  // namespace
}  // namespace cuda

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain& domain, const Problem& problem) {
  return std::make_unique<cuda::CudaKernels<T>>(domain, problem);
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(const halocline::Domain&, const Problem&);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(const halocline::Domain&, const Problem&);

}  // namespace jacobi3d

// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/devices.cuh"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "mhd/kernels.hpp"
#include "mhd/march.cuh"
#include "mhd/reduce.cuh"

namespace mhd {
namespace cuda {
namespace {

using apps::cuda::check;
using apps::cuda::native;
using apps::cuda::OnDevice;
using apps::cuda::parts_of;
using halocline::Box;
using halocline::Subdomain;
using halocline::Vec3;
using halocline::device::Stream;

template <typename T>
__global__ void kick_rows(const Arrays<T> arrays, const Wave wave, const Vec3 extent, const Box box) {
  apps::cuda::for_rows(box, [&](std::int64_t y, std::int64_t z) {
    for (std::int64_t x = box.lo.x + threadIdx.x; x < box.hi.x; x += blockDim.x) {
      const double angle = angle_of(wave, extent, x, y, z);
      const double c = cos(angle);
      const double s = sin(angle);
      for (int i = 0; i < 3; ++i) {
        T& u = const_cast<T*>(arrays.now[ux + i])[arrays.offset(x, y, z)];
        u = static_cast<T>(static_cast<double>(u) + (wave.real[i] * c - wave.imaginary[i] * s));
      }
    }
  });
}

constexpr int row_blocks = 512;

/// A kernel, and how it cuts a large box.
template <typename T, int R>
struct Variant {
  std::string name;
  void (*kernel)(const Work<T, R>);
  bool marches = false;
  int threads = threads_of_cells;
  int x = 32;  ///< of a block, in cells
  int y = 4;
  std::size_t shared = 0;
};

template <typename T, int R, int Blocks>
Variant<T, R> cells_variant(int x, int y) {
  return {"cells-" + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(threads_of_cells / x / y) +
              "-" + std::to_string(Blocks),
          &update_cells<Fused, T, R, Blocks>,
          false,
          threads_of_cells,
          x,
          y,
          0};
}
template <typename T, int R, int X, int Y, bool Kept>
Variant<T, R> split_variant() {
  return {std::string(Kept ? "kept" : "split") + "-" + std::to_string(X) + "x" + std::to_string(Y),
          &update_split<Fused, T, R, X, Y, Kept>,
          true,
          2 * X * Y,
          X,
          Y,
          sizeof(T) * static_cast<std::size_t>(Tile<R, X, Y>::cells + handed_over * X * Y)};
}

/// The first that the device has the shared memory for is the default: the fastest on an H200, of the tiles that the 227 KiB
/// of compute capability 9.0 allow, or the 163 KiB of 8.0.
template <typename T, int R>
std::vector<Variant<T, R>> all_variants() {
  std::vector<Variant<T, R>> all{split_variant<T, R, 32, 4, true>(), split_variant<T, R, 16, 8, true>(),
                                 split_variant<T, R, 16, 6, false>(), cells_variant<T, R, 2>(32, 4),
                                 cells_variant<T, R, 3>(32, 4)};
  if constexpr (R == 1) {
    all.insert(sizeof(T) == 8 ? all.begin() : all.begin() + 1, split_variant<T, R, 16, 14, false>());
  }
  return all;
}

template <typename T, int R>
class CudaKernels : public Kernels<T> {
 public:
  CudaKernels(const halocline::Domain& domain, const State<T>& state, const Parameters& parameters)
      : state_(state),
        extent_(internals(domain).geometry().partition.extent()),
        wraps_(internals(domain).geometry().wraps(0)),
        scheme_(make_scheme<T, R>(parameters)),
        variants_(all_variants<T, R>()),
        devices_(internals(domain).backend()) {
    auto& backend = internals(domain).backend();
    for (const int ordinal : devices_.ordinals()) {
      int shared = 0;
      check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal),
            "cudaDeviceGetAttribute");
      std::erase_if(variants_, [shared](const auto& v) { return v.shared > static_cast<std::size_t>(shared); });
    }
    for (const int ordinal : devices_.ordinals()) {
      const OnDevice on(ordinal);
      load();
    }
    for (const Subdomain& subdomain : domain.subdomains()) {
      // Offsets in kernels are of 32 bits.
      const auto view = subdomain.view(state[0]);
      const std::int64_t last = arrays_of(subdomain, state).pitch_z * (view.with_halo().hi.z - view.with_halo().lo.z);
      if (last >= std::int64_t{0x7fffffff}) {
        throw halocline::InvalidArgument("mhd: a subdomain is " + halocline::to_string(subdomain.owned().extent()) +
                                         "; allowed are less than 2^31 cells, halos included");
      }
      scratch_[subdomain.id()] = backend.allocate(subdomain.device(), sizeof(Keys) + sizeof(Totals));
    }
  }

  void update(const Subdomain& subdomain, std::span<const Box> boxes, const Substep<T>& substep) override {
    const Variant<T, R>& variant = variants_[variant_];
    std::vector<Box> large;
    std::vector<Box> others;
    for (const Box& box : boxes) {
      if (box.empty()) continue;
      const Vec3 size = box.extent();
      (variant.marches && size.x >= variant.x && size.y >= variant.y && size.z > 2 * R ? large : others).push_back(box);
    }
    launch(subdomain, large, substep, variant);
    launch(subdomain, others, substep, variant.marches ? cells_ : variant);
  }

  void kick(const Subdomain& subdomain, const Box& box, const Wave& wave) override {
    stream_of(subdomain).enqueue([=, arrays = arrays_of(subdomain, state_), extent = extent_,
                                  ordinal = devices_.ordinal(stream_of(subdomain))](Stream& at) {
      const OnDevice on(ordinal);
      kick_rows<T><<<row_blocks, threads_of_rows, 0, native(at)>>>(arrays, wave, extent, box);
      check(cudaGetLastError(), "launching a kick");
    });
  }

  void extremes(const Subdomain& subdomain, Extremes* result) override {
    auto* keys = reinterpret_cast<Keys*>(scratch_.at(subdomain.id())->data());
    stream_of(subdomain).enqueue(
        [=, rows = rows(subdomain), ordinal = devices_.ordinal(stream_of(subdomain))](Stream& at) {
          const OnDevice on(ordinal);
          clear<<<1, 32, 0, native(at)>>>(keys);
          find_extremes<T, R><<<dim3(row_blocks, quantity_count), threads_of_rows, 0, native(at)>>>(rows, keys);
          deliver<<<1, 32, 0, native(at)>>>(keys, result);
          check(cudaGetLastError(), "launching a search of extremes");
        });
  }

  void sums(const Subdomain& subdomain, const Scales& scales, Sums* result) override {
    auto* totals = reinterpret_cast<Totals*>(scratch_.at(subdomain.id())->data() + sizeof(Keys));
    stream_of(subdomain).enqueue(
        [=, rows = rows(subdomain), ordinal = devices_.ordinal(stream_of(subdomain))](Stream& at) {
          const OnDevice on(ordinal);
          clear<<<1, 32, 0, native(at)>>>(totals);
          add_up<T, R><<<dim3(row_blocks, quantity_count), threads_of_rows, 0, native(at)>>>(rows, scales, totals);
          deliver<<<1, 32, 0, native(at)>>>(totals, result);
          check(cudaGetLastError(), "launching a sum");
        });
  }

  [[nodiscard]] std::vector<std::string> variants() const override {
    std::vector<std::string> names;
    for (const auto& variant : variants_) names.push_back(variant.name);
    return names;
  }

  /// As many planes as make what a march brings in before its first plane a small part of it.
  [[nodiscard]] Vec3 tile() const override {
    constexpr std::int64_t planes = 16;
    const Variant<T, R>& variant = variants_[variant_];
    return variant.marches ? Vec3{wraps_ ? 1 : variant.x, variant.y, planes} : Vec3::filled(1);
  }

  void choose(std::size_t variant) override {
    if (variant >= variants_.size()) {
      throw halocline::InvalidArgument("mhd: the variant is number " + std::to_string(variant) + "; allowed are " +
                                       std::to_string(variants_.size()) + " from 0 on");
    }
    variant_ = variant;
  }

 private:
  /// A kernel that is loaded at its first launch may have to wait for what runs, such as an exchange.
  void load() const {
    cudaFuncAttributes attributes{};
    for (const auto& variant : variants_) {
      check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(variant.kernel)), "loading a kernel");
      if (variant.shared > 0) {
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(variant.kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(variant.shared)),
              "asking for shared memory");
      }
    }
    for (const void* kernel :
         {reinterpret_cast<const void*>(&kick_rows<T>), reinterpret_cast<const void*>(&find_extremes<T, R>),
          reinterpret_cast<const void*>(&add_up<T, R>)}) {
      check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
    }
  }

  /// How deep a block marches: the fewest rounds of blocks, each as long as its planes and what it brings in before the first.
  [[nodiscard]] static int depth_of(std::int64_t columns, std::int64_t planes, std::int64_t resident) {
    std::int64_t best = planes;
    std::int64_t least = parts_of(columns, resident) * (planes + R);
    for (std::int64_t cuts = 2; planes / cuts >= 4 * R; ++cuts) {
      const std::int64_t depth = parts_of(planes, cuts);
      const std::int64_t cost = parts_of(columns * parts_of(planes, depth), resident) * (depth + R);
      if (cost < least) {
        least = cost;
        best = depth;
      }
    }
    return static_cast<int>(best);
  }

  [[nodiscard]] Piece piece_of(const Box& box, const Variant<T, R>& variant, std::int64_t processors) const {
    Piece piece;
    piece.box = box;
    const Vec3 size = box.extent();
    if (variant.marches) {
      piece.tiles_x = static_cast<int>(parts_of(size.x, variant.x));
      piece.tiles_y = static_cast<int>(parts_of(size.y, variant.y));
      piece.depth = depth_of(std::int64_t{piece.tiles_x} * piece.tiles_y, size.z, processors);
      return piece;
    }
    int x = variant.x;
    while (x > 1 && x / 2 >= size.x) x /= 2;
    int y = std::min(threads_of_cells / x, std::max(variant.y, 8));
    if (x == variant.x) y = variant.y;
    while (y > 1 && y / 2 >= size.y) y /= 2;
    piece.bits_x = std::countr_zero(static_cast<unsigned>(x));
    piece.bits_y = std::countr_zero(static_cast<unsigned>(y));
    piece.depth = threads_of_cells / x / y;
    piece.tiles_x = static_cast<int>(parts_of(size.x, x));
    piece.tiles_y = static_cast<int>(parts_of(size.y, y));
    return piece;
  }

  void launch(const Subdomain& subdomain, const std::vector<Box>& boxes, const Substep<T>& substep,
              const Variant<T, R>& variant) {
    if (boxes.empty()) return;
    if (boxes.size() > most_boxes) {
      throw halocline::InvalidArgument("mhd: an update has " + std::to_string(boxes.size()) +
                                       " boxes; allowed are up to 6");
    }
    Work<T, R> work;
    work.arrays = arrays_of(subdomain, state_);
    work.pitch_y = static_cast<int>(work.arrays.pitch_y);
    work.pitch_z = static_cast<int>(work.arrays.pitch_z);
    work.scheme = scheme_;
    work.substep = substep;
    std::int64_t blocks = 0;
    for (const Box& box : boxes) {
      Piece piece = piece_of(box, variant, devices_.multiprocessors(stream_of(subdomain)));
      piece.first_block = static_cast<int>(blocks);
      blocks += std::int64_t{piece.tiles_x} * piece.tiles_y * parts_of(box.extent().z, piece.depth);
      work.pieces[work.count++] = piece;
    }
    stream_of(subdomain).enqueue([work, blocks, kernel = variant.kernel, threads = variant.threads,
                                  shared = variant.shared,
                                  ordinal = devices_.ordinal(stream_of(subdomain))](Stream& at) {
      const OnDevice on(ordinal);
      kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared, native(at)>>>(work);
      check(cudaGetLastError(), "launching an update");
    });
  }

  [[nodiscard]] Rows<T, R> rows(const Subdomain& subdomain) const {
    return {arrays_of(subdomain, state_), scheme_, subdomain.owned()};
  }

  State<T> state_;
  Vec3 extent_;
  bool wraps_;  ///< in x
  Scheme<T, R> scheme_;
  std::vector<Variant<T, R>> variants_;
  std::size_t variant_ = 0;
  Variant<T, R> cells_ = cells_variant<T, R, 2>(32, 4);  ///< for boxes that planes do not fit
  apps::cuda::Devices devices_;
  std::map<halocline::subdomain_id, std::unique_ptr<halocline::device::Buffer>> scratch_;
};

}  // namespace
}  // namespace cuda

template <typename T>
std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain& domain, const State<T>& state,
                                              const Parameters& parameters, int order) {
  switch (order) {
    case 2: return std::make_unique<cuda::CudaKernels<T, 1>>(domain, state, parameters);
    case 4: return std::make_unique<cuda::CudaKernels<T, 2>>(domain, state, parameters);
    case 6: return std::make_unique<cuda::CudaKernels<T, 3>>(domain, state, parameters);
    default: return std::make_unique<cuda::CudaKernels<T, 4>>(domain, state, parameters);
  }
}

template std::unique_ptr<Kernels<float>> make_cuda_kernels<float>(const halocline::Domain&, const State<float>&,
                                                                  const Parameters&, int);
template std::unique_ptr<Kernels<double>> make_cuda_kernels<double>(const halocline::Domain&, const State<double>&,
                                                                    const Parameters&, int);

}  // namespace mhd

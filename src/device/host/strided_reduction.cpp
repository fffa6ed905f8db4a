// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/strided_reduction.hpp"

namespace halocline::device::host {
namespace {

/// Results of a row that do not wait for each other, so that a core does several at once.
constexpr std::int64_t reduction_lanes = 8;

template <typename T, Reduce what>
double reduced(const StridedReduction& all) {
  std::array<double, reduction_lanes> lanes;
  lanes.fill(neutral(what));
  const auto row = [&](const std::byte* first, std::int64_t stride) {
    const auto take = [&](std::int64_t x, std::int64_t lane) {
      const T value = *reinterpret_cast<const T*>(first + x * stride);
      double& result = lanes[static_cast<std::size_t>(lane)];
      result = combined(what, result, term_of(what, static_cast<double>(value)));
    };
    std::int64_t x = 0;
    for (; x + reduction_lanes <= all.extent.x; x += reduction_lanes) {
      for (std::int64_t lane = 0; lane < reduction_lanes; ++lane) take(x + lane, lane);
    }
    for (std::int64_t lane = 0; x < all.extent.x; ++x, ++lane) take(x, lane);
  };
  for (const std::byte* box : all.boxes) {
    for (std::int64_t z = 0; z < all.extent.z; ++z) {
      for (std::int64_t y = 0; y < all.extent.y; ++y) {
        const std::byte* first = box + z * all.stride[2] + y * all.stride[1];
        if (all.stride[0] == sizeof(T)) {
          row(first, sizeof(T));  // a constant, for the compiler
        } else {
          row(first, all.stride[0]);
        }
      }
    }
  }
  double result = neutral(what);
  for (const double lane : lanes) result = combined(what, result, lane);
  return result;
}

template <typename T>
double reduced(const StridedReduction& all) {
  switch (all.what) {
    case Reduce::sum: return reduced<T, Reduce::sum>(all);
    case Reduce::sum_of_squares: return reduced<T, Reduce::sum_of_squares>(all);
    case Reduce::min: return reduced<T, Reduce::min>(all);
    case Reduce::max: return reduced<T, Reduce::max>(all);
    case Reduce::max_abs: return reduced<T, Reduce::max_abs>(all);
  }
  return 0;
}

}  // namespace

HostReductionList::HostReductionList(std::span<const StridedReduction> reductions) {
  for (const StridedReduction& one : reductions) check(one);
  reductions_ = std::make_shared<const std::vector<StridedReduction>>(reductions.begin(), reductions.end());
}

void reduce(const StridedReduction& reduction) {
  *reduction.target = reduction.element == Element::f32 ? reduced<float>(reduction) : reduced<double>(reduction);
}

}  // namespace halocline::device::host

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>

#include "device/backend.hpp"
#include "laplace3d/scheme.hpp"

namespace laplace3d {

/// Who sends where in the two phases: SchemeKind::left_right or pairwise.
enum class Phases : int { left_right, pairwise };
enum class Way : int { through_host, device_to_device };

template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_baseline(const Setting<T>& setting);
template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_two_phase(const Setting<T>& setting, Phases phases);
/// Of this rank's only slab; Setting::messages is not null.
template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_two_phase_mpi(const Setting<T>& setting, Phases phases);
template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_threads(const Setting<T>& setting, Way way);
template <typename T>
[[nodiscard]] std::unique_ptr<Scheme> make_own_exchange(const Setting<T>& setting);

/// Which of two alternating things belongs to a step or cycle.
[[nodiscard]] constexpr std::size_t slot_of(std::int64_t number) { return static_cast<std::size_t>(number % 2); }

/// A slab's two arrays: the current one at the start of a run is set 0.
template <typename T>
class Arrays {
 public:
  Arrays(const Slab& slab, halocline::Field<T> field)
      : views_{slab.subdomain().view(field), slab.subdomain().view(field, 1)} {}
  /// The state before step `step` of the run.
  [[nodiscard]] const halocline::View<T>& at(std::int64_t step) const { return views_[slot_of(step)]; }
  [[nodiscard]] halocline::View<const T> source(std::int64_t step) const {
    const auto& v = at(step);
    return {reinterpret_cast<std::byte*>(v.data()), v.owned(), v.with_halo(), v.stride_bytes(),
            v.component_stride_bytes()};
  }

 private:
  std::array<halocline::View<T>, 2> views_;
};

/// One step in a stream, for a box.
template <typename T>
void step(Kernels<T>& kernels, halocline::device::Stream& stream, const halocline::Box& box, const Arrays<T>& arrays,
          std::int64_t number) {
  kernels.update(stream, {&box, 1}, arrays.source(number), arrays.at(number + 1));
}

/// Host memory for a side's planes, twice: one is filled while the other one is read.
using Staging = std::array<std::unique_ptr<halocline::device::Buffer>, 2>;
template <typename T>
[[nodiscard]] Staging make_staging(const Setting<T>& setting, const Slab& slab, Side side) {
  const auto bytes = planes_of(slab.subdomain().view(setting.field), slab.side(side)).bytes;
  return {setting.backend->allocate_pinned(bytes), setting.backend->allocate_pinned(bytes)};
}

[[nodiscard]] constexpr std::size_t index_of(Side side) { return static_cast<std::size_t>(side); }
[[nodiscard]] constexpr Side opposite(Side side) { return side == Side::lower ? Side::upper : Side::lower; }
/// Which side of slab i sends in a phase, and which receives.
[[nodiscard]] constexpr std::array<Side, 2> roles(Phases phases, std::size_t i, int phase) {
  if (phases == Phases::left_right) {
    return phase == 0 ? std::array{Side::upper, Side::lower} : std::array{Side::lower, Side::upper};
  }
  const Side partner = i % 2 == static_cast<std::size_t>(phase) ? Side::upper : Side::lower;
  return {partner, partner};
}
/// The neighbour of slab i.
[[nodiscard]] constexpr std::size_t beside(std::size_t i, Side side) { return side == Side::lower ? i - 1 : i + 1; }

}  // namespace laplace3d

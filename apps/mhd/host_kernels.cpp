// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "mhd/kernels.hpp"

namespace mhd {
namespace {

using halocline::Box;
using halocline::Subdomain;
using halocline::Vec3;

/// Calls f(offset, x, y, z) for each cell of a box.
template <typename T, typename F>
void for_cells(const Arrays<T>& arrays, const Box& box, F&& f) {
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      const std::int64_t row = arrays.offset(box.lo.x, y, z);
      for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) f(row + x - box.lo.x, x, y, z);
    }
  }
}

template <typename T, int R>
void update_box(const Arrays<T>& arrays, const Scheme<T, R>& scheme, const Substep<T>& substep, const Box& box) {
  for_cells(arrays, box, [&](std::int64_t at, std::int64_t x, auto...) {
    const Surroundings<T> values(arrays, at, x - arrays.origin.x);
    update_cell<Separate>(
        values, scheme, substep, [&](int field) { return arrays.next[field][at]; },
        [&](int field, T value) { arrays.next[field][at] = value; });
  });
}

template <typename T>
void kick_box(const Arrays<T>& arrays, const Wave& wave, const Vec3& extent, const Box& box) {
  for_cells(arrays, box, [&](std::int64_t at, std::int64_t x, std::int64_t y, std::int64_t z) {
    const double angle = angle_of(wave, extent, x, y, z);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    for (int i = 0; i < 3; ++i) {
      T& u = const_cast<T*>(arrays.now[ux + i])[at];
      u = static_cast<T>(static_cast<double>(u) + (wave.real[i] * c - wave.imaginary[i] * s));
    }
  });
}

template <typename T, int R>
Extremes extremes_of(const Arrays<T>& arrays, const Scheme<T, R>& scheme, const Box& box) {
  Extremes found;
  std::fill(std::begin(found.min), std::end(found.min), std::numeric_limits<double>::infinity());
  std::fill(std::begin(found.max), std::end(found.max), -std::numeric_limits<double>::infinity());
  found.not_finite = 0;
  for_cells(arrays, box, [&](std::int64_t at, std::int64_t x, auto...) {
    const Surroundings<T> values(arrays, at, x - arrays.origin.x);
    for (int i = 0; i < quantity_count; ++i) {
      const double value = quantity(i, values, scheme);
      if (!std::isfinite(value)) {
        ++found.not_finite;
        continue;
      }
      found.min[i] = std::min(found.min[i], value);
      found.max[i] = std::max(found.max[i], value);
    }
  });
  return found;
}

template <typename T, int R>
Sums sums_of(const Arrays<T>& arrays, const Scheme<T, R>& scheme, const Scales& scales, const Box& box) {
  Sums found{};
  const auto add = [](FixedPoint& to, double value) {
    const FixedPoint more = fixed_point(value);
    to.high += more.high;
    to.low += more.low;
  };
  for_cells(arrays, box, [&](std::int64_t at, std::int64_t x, auto...) {
    const Surroundings<T> values(arrays, at, x - arrays.origin.x);
    for (int i = 0; i < quantity_count; ++i) {
      const double part = quantity(i, values, scheme) / scales.of[i];
      add(found.of[i], part);
      add(found.of_squares[i], part * part);
    }
  });
  return found;
}

template <typename T, int R>
class HostKernels : public Kernels<T> {
 public:
  HostKernels(const halocline::Domain& domain, const State<T>& state, const Parameters& parameters)
      : state_(state),
        extent_(internals(domain).geometry().partition.extent()),
        scheme_(make_scheme<T, R>(parameters)) {}

  void update(const Subdomain& subdomain, std::span<const Box> boxes, const Substep<T>& substep) override {
    const auto arrays = arrays_of(subdomain, state_);
    for (const Box& box : boxes) {
      if (box.empty()) continue;
      subdomain.launch(box, [arrays, substep, scheme = scheme_](const Box& part) {
        update_box<T, R>(arrays, scheme, substep, part);
      });
    }
  }

  void kick(const Subdomain& subdomain, const Box& box, const Wave& wave) override {
    subdomain.launch(box, [arrays = arrays_of(subdomain, state_), wave, extent = extent_](const Box& part) {
      kick_box<T>(arrays, wave, extent, part);
    });
  }

  void extremes(const Subdomain& subdomain, Extremes* result) override {
    stream_of(subdomain).host_function([arrays = arrays_of(subdomain, state_), scheme = scheme_,
                                        box = subdomain.owned(),
                                        result] { *result = extremes_of<T, R>(arrays, scheme, box); });
  }

  void sums(const Subdomain& subdomain, const Scales& scales, Sums* result) override {
    stream_of(subdomain).host_function([arrays = arrays_of(subdomain, state_), scheme = scheme_, scales,
                                        box = subdomain.owned(),
                                        result] { *result = sums_of<T, R>(arrays, scheme, scales, box); });
  }

  void choose(std::size_t variant) override {
    if (variant != 0) throw halocline::InvalidArgument("mhd: host devices have one way of updating a box");
  }

 private:
  State<T> state_;
  Vec3 extent_;
  Scheme<T, R> scheme_;
};

}  // namespace

template <typename T>
std::unique_ptr<Kernels<T>> make_host_kernels(const halocline::Domain& domain, const State<T>& state,
                                              const Parameters& parameters, int order) {
  switch (order) {
    case 2: return std::make_unique<HostKernels<T, 1>>(domain, state, parameters);
    case 4: return std::make_unique<HostKernels<T, 2>>(domain, state, parameters);
    case 6: return std::make_unique<HostKernels<T, 3>>(domain, state, parameters);
    default: return std::make_unique<HostKernels<T, 4>>(domain, state, parameters);
  }
}

template <typename T>
std::unique_ptr<Kernels<T>> make_kernels(const halocline::Domain& domain, const State<T>& state,
                                         const Parameters& parameters, int order) {
  switch (internals(domain).backend().kind()) {
    case halocline::DeviceKind::cuda: return make_cuda_kernels<T>(domain, state, parameters, order);
    case halocline::DeviceKind::host: break;
  }
  return make_host_kernels<T>(domain, state, parameters, order);
}

#define MHD_KERNELS(T)                                                                                               \
  template std::unique_ptr<Kernels<T>> make_host_kernels<T>(const halocline::Domain&, const State<T>&,               \
                                                            const Parameters&, int);                                 \
  template std::unique_ptr<Kernels<T>> make_kernels<T>(const halocline::Domain&, const State<T>&, const Parameters&, \
                                                       int);
MHD_KERNELS(float)
MHD_KERNELS(double)
#undef MHD_KERNELS

}  // namespace mhd

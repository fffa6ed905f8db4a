// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "device/backend.hpp"
#include "halocline/view.hpp"
#include "laplace3d/problem.hpp"

namespace laplace3d {

/// As many boxes as an update takes: the two sides of a slab.
inline constexpr std::size_t most_boxes = 2;

/// Steps as work of devices. Each call enqueues in a stream and returns; results are the same bit for bit on every backend.
/// Any thread may call them, each for another stream.
template <typename T>
class Kernels {
 public:
  virtual ~Kernels() = default;
  /// Sets a box, halos included, to the initial values.
  virtual void initialise(halocline::device::Stream& stream, const halocline::Box& box,
                          const halocline::View<T>& target) = 0;
  /// A step for disjoint boxes, at most most_boxes that are not empty: one launch on a GPU.
  virtual void update(halocline::device::Stream& stream, std::span<const halocline::Box> boxes,
                      const halocline::View<const T>& source, const halocline::View<T>& target) = 0;
};

/// Those for a backend's kind of devices; the backend outlives them.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_kernels(halocline::device::Backend& backend, const Problem& problem);

/// Functions of the host that the host backend runs.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_host_kernels(const Problem& problem);
/// Throws CapabilityError where they are not in this build.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_cuda_kernels(halocline::device::Backend& backend,
                                                            const Problem& problem);

}  // namespace laplace3d

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "halocline/domain.hpp"
#include "jacobi3d/row.hpp"

namespace jacobi3d {

/// A domain's steps as work of its devices. Each call enqueues in the subdomain's stream and returns; results are the
/// same bit for bit on every backend.
template <typename T>
class Kernels {
 public:
  virtual ~Kernels() = default;
  /// Sets the owned cells to the initial state.
  virtual void initialise(const halocline::Subdomain& subdomain, const halocline::View<T>& target) = 0;
  /// update_box() for disjoint boxes of cells, owned ones or of the halo, at most most_boxes of them that are not
  /// empty: one launch on a GPU.
  virtual void update(const halocline::Subdomain& subdomain, std::span<const halocline::Box> boxes,
                      const halocline::View<const T>& source, const halocline::View<T>& target) = 0;
  /// The same for all owned cells, behind an exchange of the source that was enqueued last: a GPU computes cells that read no halo while
  /// it is under way, where its kernels can.
  virtual void update_awaiting(const halocline::Subdomain& subdomain, const halocline::View<const T>& source,
                               const halocline::View<T>& target) {
    update(subdomain, {&subdomain.owned(), 1}, source, target);
  }
  /// The same for the interior, while halos are under way. May also write cells of the boundary next to it in x, with
  /// values that are not final: an update of the boundary must follow.
  virtual void update_interior(const halocline::Subdomain& subdomain, const halocline::View<const T>& source,
                               const halocline::View<T>& target) {
    update(subdomain, {&subdomain.interior(), 1}, source, target);
  }
  /// Writes the difference of the owned cells to *result, in memory that the device reaches (pinned), which must
  /// outlive the work. Sums are added in an order that depends on the box alone, not on timing.
  virtual void difference(const halocline::Subdomain& subdomain, const halocline::View<const T>& before,
                          const halocline::View<const T>& after, Difference* result) = 0;
};

/// As many boxes as an interior's surroundings have.
inline constexpr std::size_t most_boxes = 6;

/// Those for the kind of devices that the domain has. The domain must be realised and outlive them.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_kernels(const halocline::Domain& domain, const Problem& problem);

/// Functions of the host that the host backend runs.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_host_kernels(const Problem& problem);
/// Throws CapabilityError where they are not in this build.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain& domain, const Problem& problem);

}  // namespace jacobi3d

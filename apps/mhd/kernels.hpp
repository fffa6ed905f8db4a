// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halocline/domain.hpp"
#include "mhd/forcing.hpp"
#include "mhd/quantities.hpp"
#include "mhd/state.hpp"

namespace mhd {

/// A substep and the rest as work of a domain's devices. Each call enqueues in the subdomain's stream and returns. The bits of a
/// cell depend on the cells that it reads alone, on one kind of devices.
template <typename T>
class Kernels {
 public:
  virtual ~Kernels() = default;
  /// update_cell() for disjoint boxes, at most most_boxes that are not empty: reads the current buffers, writes the next ones.
  /// Boxes may hold halo cells if the arrays have what these read.
  virtual void update(const halocline::Subdomain& subdomain, std::span<const halocline::Box> boxes,
                      const Substep<T>& substep) = 0;
  /// Adds a wave to the velocity of a box, of owned and halo cells, in the current buffers.
  virtual void kick(const halocline::Subdomain& subdomain, const halocline::Box& box, const Wave& wave) = 0;
  /// Of all quantities over the owned cells. Halos must be there. *result is in memory that the device reaches (pinned) and
  /// must outlive the work.
  virtual void extremes(const halocline::Subdomain& subdomain, Extremes* result) = 0;
  virtual void sums(const halocline::Subdomain& subdomain, const Scales& scales, Sums* result) = 0;
  /// Cells of a block in x, y and z, of the way in use: boxes of whole ones are the fastest.
  [[nodiscard]] virtual halocline::Vec3 tile() const { return halocline::Vec3::filled(1); }
  /// Ways of doing a large box that give the same bits; the first is the default. Changes nothing but the time.
  [[nodiscard]] virtual std::vector<std::string> variants() const { return {"cells"}; }
  /// Throws InvalidArgument for one that there is not.
  virtual void choose(std::size_t variant) = 0;
};

/// As many boxes as an interior's surroundings have.
inline constexpr std::size_t most_boxes = 6;

/// Those for the kind of devices that the domain has. The domain must be realised and outlive them.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_kernels(const halocline::Domain& domain, const State<T>& state,
                                                       const Parameters& parameters, int order);

/// Functions of the host that the host backend runs.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_host_kernels(const halocline::Domain& domain, const State<T>& state,
                                                            const Parameters& parameters, int order);
/// Throws CapabilityError where they are not in this build.
template <typename T>
[[nodiscard]] std::unique_ptr<Kernels<T>> make_cuda_kernels(const halocline::Domain& domain, const State<T>& state,
                                                            const Parameters& parameters, int order);

}  // namespace mhd

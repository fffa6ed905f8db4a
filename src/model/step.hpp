// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halocline/box.hpp"

// The time of a step from the times of its parts, for machines that are not here.
namespace halocline::model {

/// Work of a kernel for one cell of one step.
struct KernelCost {
  double bytes = 0;  ///< to and from the device's memory
  double flops = 0;  ///< 0: arithmetic is not counted
};
/// Peak rates of one device.
struct DeviceRates {
  double memory_bandwidth = 0;  ///< bytes a second, read and written together
  double flops = 0;             ///< operations a second; 0: any
};
/// Seconds for the update of one cell by the roofline model (Williams, Waterman and Patterson, CACM 52(4), 2009): the longer of memory traffic
/// and arithmetic, each at its peak rate. A lower bound. Throws InvalidArgument for a negative or infinite cost or rate, or if nothing limits.
[[nodiscard]] double seconds_per_update(const KernelCost& cost, const DeviceRates& rates);

/// Seconds of the parts of a step on its slowest device.
struct StepParts {
  double work = 0;         ///< all cells updated
  double outer_share = 0;  ///< of the work: cells that read halos, 0 to 1
  double exchange = 0;     ///< all exchanges of the step
  double serial = 0;       ///< tau_0: what nothing overlaps
};
/// Seconds of the step.
struct StepTimes {
  double ideal = 0;  ///< max(work, exchange) + serial: Eq. 4 of Pekkilä et al.
  double overlapped =
      0;  ///< inner cells concurrently with the exchange, then outer ones: max(inner, exchange) + outer + serial
  double in_turn = 0;  ///< work + exchange + serial: without overlap
};
/// Throws InvalidArgument for a part that is below 0 or not finite, or a share above 1.
[[nodiscard]] StepTimes step_times(const StepParts& parts);

/// The share of a box's cells that lie within `lower` cells of a lower side or `upper` of an upper one. A box without cells has share 1.
[[nodiscard]] double outer_share(const Vec3& box, const Vec3& lower, const Vec3& upper);

}  // namespace halocline::model

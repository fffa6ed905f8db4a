// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// What a request asks of the stage partition, without a cost. Throws InvalidArgument for a machine without ranks that drive devices, fewer
/// than 1 step per exchange, and halos that are too wide to count.
[[nodiscard]] partition::Request cut_of(const PlanRequest& request);
/// What is cut how, and why so.
struct Cut {
  partition::Geometry geometry;
  std::string reason;
  partition::Method partition;  ///< as Plan::partition
  placement::Method placement;  ///< as Plan::placement_method
  /// By subdomain_id where they are placed by time.
  std::optional<std::vector<placement::Slot>> slots;
  std::optional<Judged> judged;
  std::optional<Moves> moves;
};
/// The stage partition. Throws InvalidArgument if something does not fit; the error names halos for several steps if they are the reason.
[[nodiscard]] Cut cut_for_steps(const PlanRequest& request);
[[nodiscard]] partition::Geometry geometry_of(const PlanRequest& request, partition::Partition parts);

}  // namespace halocline

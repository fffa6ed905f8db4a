// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

namespace halocline {

/// The request with the radii of the halos that serve so many steps: what is cut, and exchanged. Throws InvalidArgument where
/// the multiplier is below 1, or halos would be too wide to count.
[[nodiscard]] PlanRequest halos_of(const PlanRequest& request, int multiplier);
/// What a request asks of the stage partition, without a cost. Throws InvalidArgument for a machine that nobody drives.
[[nodiscard]] partition::Request cut_of(const PlanRequest& request);
/// What is cut how, and why so.
struct Cut {
  partition::Geometry geometry;
  std::string reason;
};
/// The stage partition. Throws InvalidArgument where something does not fit; where that is halos for several steps, it says so.
[[nodiscard]] Cut cut_for_steps(const PlanRequest& request);
/// Takes what wraps out of the radii of stencils; see Geometry::halo_of.
void keep_halos(const partition::Geometry& geometry, Radius& radius, std::vector<FieldDescriptor>& fields);
[[nodiscard]] partition::Geometry geometry_of(const PlanRequest& request, partition::Partition parts);

}  // namespace halocline

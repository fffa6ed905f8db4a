// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

namespace halocline {

/// Cuts a plan for equal devices anew, in proportion to PlanRequest::speeds, which are not empty and differ. With the partition methods
/// `automatic` and `fastest` any grid may take the place of the plan's: cuts are planes, so that a grid of several dimensions cannot give
/// each device its share. Taken is the grid with the fewest bytes between nodes, then of the device that sends most, among the ones whose
/// slowest device is within 2 % of the least time; of a node's devices the order of the placement, of the machine or by speed.
void balance(Plan& plan, const PlanRequest& request);

/// Throws InvalidArgument for a wrong number of speeds, speeds that are not above 0, and speeds beside weights or cuts.
void check_speeds(const PlanRequest& request);

/// With equal speeds a plan is that without speeds.
[[nodiscard]] bool speeds_differ(const PlanRequest& request);

/// By subdomain_id: the speed of its device.
[[nodiscard]] std::vector<double> speeds_by_subdomain(const Plan& plan, const PlanRequest& request);

/// The time of the slowest device over the time of all where each has cells in proportion to its speed; 1 is ideal.
[[nodiscard]] double imbalance_of(const partition::Partition& partition, const std::vector<double>& speeds);

}  // namespace halocline

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
/// Why times of exchanges cannot be simulated for a choice; empty where they can: with given owners, where nodes hold unequal numbers of
/// devices, more than 64 in all, and where a device has no path to the network.
[[nodiscard]] std::string why_not_judged(const PlanRequest& request);
/// Whether messages of the request's machine meet unequal links (model/unequal.hpp), and times can be simulated.
[[nodiscard]] bool links_are_unequal(const PlanRequest& request);
/// Predicts exchanges by the machine's exchange rates, or by typical ones.
[[nodiscard]] model::Predictor predictor_of(const PlanRequest& request);
/// Why predictor_of() cannot predict the request's exchanges; empty where it can: without rates, and where nodes hold unequal numbers of devices.
[[nodiscard]] std::string why_not_predicted(const PlanRequest& request);
/// What a predicted time adds where rates are typical ones; empty otherwise.
[[nodiscard]] std::string origin_of_rates(const PlanRequest& request);
/// Whether `fastest` compares simulated times: with unequal links, and where none can be predicted.
[[nodiscard]] bool simulates_grids(const PlanRequest& request, bool unequal);
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

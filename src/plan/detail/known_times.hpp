// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "model/predict.hpp"
#include "plan/plan.hpp"

// Which times of exchanges a plan can know: simulated or predicted ones.
namespace halocline {

/// Nodes and devices a node, as the ranks drive them; one node of all where nodes hold unequal numbers.
struct MachineShape {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  bool uneven = false;  ///< the one node is several
};
[[nodiscard]] MachineShape shape_of(const machine::MachineMap& machine);

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

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/known_times.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "halocline/error.hpp"
#include "machine/typical_rates.hpp"
#include "model/simulate.hpp"
#include "model/unequal.hpp"
#include "plan/cut.hpp"
#include "plan/detail/node_network.hpp"
#include "plan/detail/simulated_machine.hpp"

namespace halocline {
namespace {

std::string uneven_text(const MachineShape& shape) {
  return fmt::format("nodes hold unequal numbers of devices, {} in all", shape.devices_per_node);
}

}  // namespace

MachineShape shape_of(const machine::MachineMap& machine) {
  std::vector<std::int64_t> slots(machine.nodes.size(), 0);
  for (const auto& rank : machine.ranks) {
    slots.at(rank.node.index()) += static_cast<std::int64_t>(rank.devices.size());
  }
  std::erase(slots, 0);
  if (slots.empty()) return {0, 0};
  const auto [least, most] = std::minmax_element(slots.begin(), slots.end());
  if (*least == *most) return {static_cast<std::int64_t>(slots.size()), *most};
  std::int64_t all = 0;
  for (const auto n : slots) all += n;
  return {1, all, true};
}

std::string why_not_judged(const PlanRequest& request) {
  if (placement::gives_owners(request.placement)) return "owners are given";
  const MachineShape shape = shape_of(request.machine);
  if (shape.uneven && shape.devices_per_node > most_devices_of_whole) return uneven_text(shape);
  try {
    static_cast<void>(model::connection_of(model::as_measured(request.machine)));
  } catch (const InvalidArgument& error) {
    return error.what();  // a device has no path to the network
  }
  return "";
}

bool links_are_unequal(const PlanRequest& request) {
  if (!why_not_judged(request).empty()) return false;
  const machine::MachineMap map = model::as_measured(request.machine);
  if (model::connection_of(map).unequal()) return true;
  if (std::holds_alternative<machine::Crossbar>(map.network.fabric.shape) || shape_of(map).uneven) return false;
  partition::Request exact = cut_of(request);
  if (exact.method == partition::Method::automatic || exact.method == partition::Method::fastest) {
    exact.method = partition::Method::exact;
  }
  const auto busiest = NetworkLoad(map, placement::slots_of(map), 1).busiest(request, partition::make_partition(exact));
  return busiest && busiest->link > model::most_of_equal * busiest->port;
}

model::Predictor predictor_of(const PlanRequest& request) {
  if (!machine::has_typical_rates(request.machine)) return model::Predictor(request.machine, request.tuning);
  return model::Predictor(machine::with_typical_rates(request.machine), request.tuning);
}

std::string why_not_predicted(const PlanRequest& request) {
  // Predictions know node parts only, and there is one.
  if (const MachineShape shape = shape_of(request.machine); shape.uneven) return uneven_text(shape);
  return predictor_of(request).why_not();
}

std::string origin_of_rates(const PlanRequest& request) {
  if (!machine::has_typical_rates(request.machine)) return "";
  return fmt::format("; rates of {}, as none were measured here", machine::typical_gpus);
}

bool simulates_grids(const PlanRequest& request, bool unequal) {
  return unequal || !why_not_predicted(request).empty();
}

}  // namespace halocline

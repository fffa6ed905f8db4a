// SPDX-License-Identifier: BSD-3-Clause
// What a domain requests of planning.
#include <fmt/core.h>

#include <utility>

#include "domain/detail/domain_impl.hpp"

namespace halocline {
namespace {

/// A grid decides the method, unless another one is set.
partition::Method method_of(const PartitionOptions& partition) {
  const bool grid = partition.node_grid || partition.device_grid;
  return grid && partition.method == partition::Method::automatic ? partition::Method::given : partition.method;
}

}  // namespace

/// Without the machine, and without the members that owned boxes determine.
PlanRequest Domain::Impl::plan_request() const {
  return {.extent = extent,
          .stencil = stencil,
          .fields = fields,
          .boundaries = options.boundaries,
          .machine = {},
          .partition = method_of(options.partition),
          .ties = options.partition.ties,
          .node_grid = options.partition.node_grid,
          .device_grid = options.partition.device_grid,
          .cuts = options.partition.cuts,
          .weights = options.partition.weights,
          .speeds = {},
          .speeds_from = {},
          .tuning = options.tuning,
          .placement = options.placement,
          .policy = options.routing.policy,
          .steps_per_exchange = options.steps_per_exchange};
}

void Domain::Impl::check_options() const {
  if (fields.empty()) throw InvalidArgument("the domain has no fields; allowed are 1 or more (add_field)");
  const PartitionOptions& partition = options.partition;
  if (partition.measure_weights && (partition.cuts || !partition.weights.empty())) {
    throw InvalidArgument(fmt::format("option partition.measure_weights is true; allowed beside partition.{} is false",
                                      partition.cuts ? "cuts" : "weights"));
  }
  for (const auto& [name, grid] :
       {std::pair{"node_grid", partition.node_grid}, std::pair{"device_grid", partition.device_grid}}) {
    const partition::Method method = method_of(partition);
    if (!grid || partition.cuts || method == partition::Method::given || method == partition::Method::fastest) continue;
    throw InvalidArgument(fmt::format("option partition.{} is {}; allowed with method '{}' is none", name,
                                      to_string(*grid), partition::to_string(method)));
  }
  if (!owned_boxes) return;
  for (const auto& [name, given] : {std::pair{"partition.node_grid", partition.node_grid.has_value()},
                                    std::pair{"partition.device_grid", partition.device_grid.has_value()},
                                    std::pair{"partition.cuts", partition.cuts.has_value()},
                                    std::pair{"partition.weights", !partition.weights.empty()},
                                    std::pair{"partition.measure_weights", partition.measure_weights},
                                    std::pair{"placement.owners", !options.placement.owners.empty()}}) {
    if (!given) continue;
    throw InvalidArgument(
        fmt::format("option {} is set; allowed for a domain of OwnedBoxes are options without it", name));
  }
}

}  // namespace halocline

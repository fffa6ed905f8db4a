// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/limits.hpp"
#include "halocline/error.hpp"
#include "partition/size.hpp"
#include "plan/cut.hpp"

namespace halocline {
namespace {

/// Nodes and devices a node, as the ranks drive them; one node of all where nodes hold unequal numbers.
struct Shape {
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
};

Shape shape_of(const machine::MachineMap& machine) {
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
  return {1, all};
}

partition::Method method_of(const PlanRequest& request) {
  return request.cuts ? partition::Method::given : request.partition;
}

void check_fields(const std::vector<FieldDescriptor>& fields) {
  if (std::cmp_greater(fields.size(), limits::fields)) {
    throw InvalidArgument(fmt::format("number of fields is {}; allowed is at most {}", fields.size(), limits::fields));
  }
  for (const FieldDescriptor& field : fields) {
    for (const auto& [what, count, most] : {std::tuple{"components", field.components, limits::components},
                                            std::tuple{"buffers", field.buffers, limits::buffers}}) {
      if (count >= 1 && count <= most) continue;
      throw InvalidArgument(
          fmt::format("number of {} of field '{}' is {}; allowed is 1 to {}", what, field.name, count, most));
    }
  }
}

/// Throws InvalidArgument where there are too few steps, or halos would be too wide to count.
HaloWidth widest_halo(const PlanRequest& request) {
  const int steps = request.steps_per_exchange;
  if (steps < 1) throw InvalidArgument(fmt::format("steps_per_exchange is {}; allowed is 1 or more", steps));
  const Stencil widest = partition::widest_stencil(request.fields, request.stencil);
  if (HaloWidth(widest).most() > std::numeric_limits<std::int64_t>::max() / steps) {
    throw InvalidArgument(fmt::format("radius is {} with steps_per_exchange {}; allowed are products below 2^63",
                                      to_string(widest), steps));
  }
  return halo_width(widest, widest, steps);
}

/// Throws InvalidArgument where something does not fit.
Cut cut(const PlanRequest& asked) {
  partition::Request request = cut_of(asked);
  std::string reason = asked.cuts ? "the given cuts" : "";
  std::optional<model::Predictor> predictor;
  if (request.method == partition::Method::fastest) {
    predictor.emplace(asked.machine, asked.tuning);
    request.cost = [&](const partition::Partition& parts) {
      return predictor->predict(geometry_of(asked, parts)).picoseconds;
    };
    if (!predictor->why_not().empty()) {
      request.method = partition::Method::exact;
      reason = fmt::format("the grid of exact, because {}", predictor->why_not());
    }
  }
  partition::Geometry geometry = geometry_of(asked, partition::make_partition(request));
  partition::check_fits(geometry);
  if (request.method == partition::Method::fastest) {
    const model::Prediction prediction = predictor->predict(geometry);
    reason = fmt::format("predicted {:.1f} us an exchange, bound by {}", 1e6 * prediction.seconds(),
                         model::to_string(prediction.bound));
  }
  return {std::move(geometry), std::move(reason)};
}

PlanRequest with_steps(PlanRequest request, int steps) {
  request.steps_per_exchange = steps;
  return request;
}

/// The largest number of steps per exchange, below the requested one, with which cut() does not throw; 0 if there is none.
int most_steps_that_fit(const PlanRequest& request) {
  int fits = 0;
  int too_large = request.steps_per_exchange;
  while (too_large - fits > 1) {
    const int between = fits + (too_large - fits) / 2;
    try {
      static_cast<void>(cut(with_steps(request, between)));
      fits = between;
    } catch (const InvalidArgument&) {
      too_large = between;
    }
  }
  return fits;
}

}  // namespace

Cut cut_for_steps(const PlanRequest& request) {
  const int steps = request.steps_per_exchange;
  try {
    return cut(request);
  } catch (const InvalidArgument& error) {
    if (steps <= 1) throw;
    const int fits = most_steps_that_fit(request);
    if (fits == 0) return cut(with_steps(request, 1));  // throws what is wrong without it
    throw InvalidArgument(
        fmt::format("steps_per_exchange is {}; allowed for this domain are 1 to {}: with halos for {} steps, {}", steps,
                    fits, steps, error.what()));
  }
}

partition::Request cut_of(const PlanRequest& request) {
  request.machine.check();
  check_fields(request.fields);
  Shape shape = shape_of(request.machine);
  if (shape.nodes == 0) {
    throw InvalidArgument("machine '" + request.machine.name +
                          "' has no ranks that drive devices; allowed are machines with at least one");
  }
  if (placement::gives_owners(request.placement)) shape = {1, shape.nodes * shape.devices_per_node};
  return {.extent = request.extent,
          .halo = widest_halo(request),
          .nodes = shape.nodes,
          .devices_per_node = shape.devices_per_node,
          .method = method_of(request),
          .node_grid = request.node_grid,
          .device_grid = request.device_grid,
          .cuts = request.cuts,
          .boundaries = request.boundaries,
          .weights = request.weights};
}

partition::Geometry geometry_of(const PlanRequest& request, partition::Partition parts) {
  partition::Geometry geometry{std::move(parts), request.fields, request.stencil, request.boundaries,
                               request.steps_per_exchange};
  partition::check_size(geometry);
  return geometry;
}

Plan make_plan(const PlanRequest& request) {
  Cut cut = cut_for_steps(request);
  Plan plan{request.machine,    std::move(cut.geometry),    {},
            method_of(request), request.steps_per_exchange, std::move(cut.reason)};
  plan.placement = placement::make_placement(plan.geometry, plan.machine, request.placement);
  return plan;
}

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <utility>

#include "plan/cut.hpp"

namespace halocline {

Plan make_plan(const PlanRequest& request) {
  Cut cut = cut_for_steps(request);
  Plan plan{.machine = request.machine,
            .geometry = std::move(cut.geometry),
            .placement = {},
            .partition = cut.partition,
            .placement_method = cut.placement,
            .judged = cut.judged,
            .steps_per_exchange = request.steps_per_exchange,
            .partition_reason = std::move(cut.reason)};
  if (cut.slots) {
    plan.placement.slots = std::move(*cut.slots);
  } else {
    plan.placement = placement::make_placement(plan.geometry, plan.machine, request.placement);
  }
  return plan;
}

}  // namespace halocline

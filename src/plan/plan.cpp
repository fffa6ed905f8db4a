// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "plan/cut.hpp"
#include "plan/detail/balance.hpp"

namespace halocline {
namespace {

/// Without speeds.
Plan plan_for_equal_devices(const PlanRequest& request) {
  Cut cut = cut_for_steps(request);
  Plan plan{.machine = request.machine,
            .geometry = std::move(cut.geometry),
            .placement = {},
            .partition = cut.partition,
            .placement_method = cut.placement,
            .judged = cut.judged,
            .moves = std::move(cut.moves),
            .balance = {},
            .steps_per_exchange = request.steps_per_exchange,
            .partition_reason = std::move(cut.reason)};
  if (cut.slots) {
    plan.placement.slots = std::move(*cut.slots);
  } else {
    plan.placement = placement::make_placement(plan.geometry, plan.machine, request.placement);
  }
  return plan;
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
  if (request.speeds.empty()) return plan_for_equal_devices(request);
  check_speeds(request);
  Plan plan = plan_for_equal_devices(request);
  const double before = imbalance_of(plan.geometry.partition, speeds_by_subdomain(plan, request));
  if (speeds_differ(request)) balance(plan, request);
  const auto speeds = speeds_by_subdomain(plan, request);
  const double now = imbalance_of(plan.geometry.partition, speeds);
  plan.balance = {.speeds = speeds, .from = request.speeds_from, .before = before, .now = now};
  return plan;
}

}  // namespace halocline

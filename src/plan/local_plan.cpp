// SPDX-License-Identifier: BSD-3-Clause
#include "plan/local_plan.hpp"

#include <algorithm>
#include <utility>

#include "halocline/error.hpp"
#include "placement/node_placer.hpp"
#include "plan/cut.hpp"
#include "plan/detail/assumed_routes.hpp"

namespace halocline {

LocalPlan make_local_plan(const PlanRequest& request, rank_id rank, const routing::Policy& policy, bool device_mpi) {
  if (!request.speeds.empty()) throw InvalidArgument("speeds are given; allowed for a plan of one rank is none");
  Cut cut = cut_for_steps(request);
  LocalPlan plan{std::move(cut.geometry), {}, {}, {}, {}};
  placement::NodePlacer placer(plan.geometry, request.machine, request.placement);
  const placement::Placement by_time{cut.slots.value_or(std::vector<placement::Slot>{})};
  AssumedRouter router(request.machine, policy, device_mpi);
  const auto slot_of = [&](subdomain_id subdomain) -> const placement::Slot& {
    const placement::Slot& slot = cut.slots ? by_time.of(subdomain) : placer.of(subdomain);
    return plan.slots.try_emplace(subdomain, slot).first->second;
  };
  plan.mine = placer.of_rank(rank);  // refuses ranks that are not there
  if (cut.slots) plan.mine = by_time.of_rank(rank);
  std::vector<subdomain_id> by_id = plan.mine;
  std::ranges::sort(by_id);
  for (const subdomain_id own : by_id) {
    const placement::Slot& here = slot_of(own);
    for (const partition::Flow& flow : partition::outgoing_flows(plan.geometry, own)) {
      plan.outgoing.push_back(router.route(flow, here, slot_of(flow.to)));
    }
    for (const partition::Message& message : partition::incoming(plan.geometry, own)) {
      const partition::Flow flow = partition::flow_of(message);
      plan.incoming.push_back(router.route(flow, slot_of(flow.from), here));
    }
  }
  return plan;
}

}  // namespace halocline

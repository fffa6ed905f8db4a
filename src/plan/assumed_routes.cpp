// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/assumed_routes.hpp"

#include "plan/routed_messages.hpp"
#include "routing/messages.hpp"

namespace halocline {
AssumedRouter::AssumedRouter(const machine::MachineMap& machine, const routing::Policy& policy, bool device_mpi)
    : machine_(machine), measured_(machine), device_mpi_(Verdict::of(device_mpi, "not assumed")), chooser_(policy) {}

RoutedMessage AssumedRouter::route(const partition::Flow& flow, const placement::Slot& sender,
                                   const placement::Slot& receiver) {
  const bool shared = machine_.share_load_store(sender.node, sender.device, receiver.node, receiver.device);
  routing::PairFacts facts;
  facts.same_subdomain = flow.from == flow.to;
  facts.same_rank = sender.rank == receiver.rank;
  facts.same_node = sender.node == receiver.node;
  facts.same_device = facts.same_node && sender.device == receiver.device;
  facts.shares_load_store = shared || facts.same_node;
  facts.peer_access = Verdict::of(facts.same_rank && shared, "not in one load/store domain");
  facts.mapped = Verdict::of(shared, "not in one load/store domain");
  facts.exportable = Verdict::of(true);
  facts.device_mpi = device_mpi_;
  facts.direct_safe = Verdict::of(facts.same_subdomain || !facts.same_device, "ranks share a device");
  facts.mpi = true;
  facts.measured = measured_.between(sender, receiver);
  RoutedMessage routed{chooser_.choose(flow.from, flow.to, facts)};
  routed.bytes = routing::bytes_sent(flow, routed.route.transport);
  return routed;
}

std::vector<RoutedMessage> assumed_routes(const Plan& plan, const routing::Policy& policy, bool device_mpi,
                                          std::optional<rank_id> only, std::optional<routing::Messages> messages) {
  AssumedRouter router(plan.machine, policy, device_mpi);
  std::vector<RoutedMessage> routed;
  const std::int64_t subdomains = plan.geometry.partition.size();
  for (std::int64_t s = 0; s < subdomains; ++s) {
    const placement::Slot& sender = plan.placement.of(subdomain_id(s));
    if (only && sender.rank != *only) continue;
    for (const partition::Flow& flow : partition::outgoing_flows(plan.geometry, subdomain_id(s))) {
      routed.push_back(router.route(flow, sender, plan.placement.of(flow.to)));
    }
  }
  if (messages) count_messages(plan.geometry, plan.placement, *messages, routed);
  return routed;
}

}  // namespace halocline

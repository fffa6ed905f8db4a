// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/node_messages.hpp"

#include <set>

#include "plan/detail/assumed_routes.hpp"

namespace halocline {
namespace {

/// The senders of all messages from and to subdomains of a node.
std::set<subdomain_id> senders_of(const Plan& plan, node_id node) {
  std::set<subdomain_id> senders;
  for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
    if (plan.placement.of(subdomain_id(s)).node != node) continue;
    senders.insert(subdomain_id(s));
    for (const auto& message : partition::incoming(plan.geometry, subdomain_id(s))) senders.insert(message.from);
  }
  return senders;
}

}  // namespace

std::vector<RoutedMessage> messages_of_node(const Plan& plan, const routing::Policy& policy, bool device_mpi,
                                            node_id node) {
  AssumedRouter router(plan.machine, policy, device_mpi);
  std::vector<RoutedMessage> messages;
  for (const subdomain_id sender : senders_of(plan, node)) {
    const auto& from = plan.placement.of(sender);
    for (const auto& flow : partition::outgoing_flows(plan.geometry, sender)) {
      const auto& to = plan.placement.of(flow.to);
      if (from.node != node && to.node != node) continue;
      messages.push_back(router.route(flow, from, to));
    }
  }
  return messages;
}

}  // namespace halocline

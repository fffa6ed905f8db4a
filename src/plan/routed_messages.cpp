// SPDX-License-Identifier: BSD-3-Clause
#include "plan/routed_messages.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "halocline/error.hpp"
#include "routing/messages.hpp"

namespace halocline {
namespace {

void count_directions(const partition::Geometry& geometry, std::span<RoutedMessage> routed) {
  std::optional<subdomain_id> sender;
  std::map<subdomain_id, partition::Message> sent;  // by receiver
  for (RoutedMessage& one : routed) {
    if (!routing::moves_one_by_one(one.route.transport)) continue;
    if (sender != one.route.from) {
      sender = one.route.from;
      sent.clear();
      for (partition::Message& message : partition::outgoing(geometry, *sender)) sent[message.to] = std::move(message);
    }
    const partition::Message& message = sent.at(one.route.to);
    one.messages = std::ssize(routing::by_direction(message));
    one.bytes = message.bytes();
  }
}

/// The first one counts for its bundle.
void count_bundles(const placement::Placement& placement, routing::Messages messages, std::span<RoutedMessage> routed) {
  std::set<routing::BundleKey> counted;
  for (RoutedMessage& one : routed) {
    const auto bundle =
        routing::bundle_of(messages, one.route.transport, placement.of(one.route.from), placement.of(one.route.to));
    if (bundle) one.messages = counted.insert(*bundle).second ? 1 : 0;
  }
}

}  // namespace

std::vector<RoutedMessage> routed_messages(const partition::Geometry& geometry, const placement::Placement& placement,
                                           std::span<const subdomain_id> senders,
                                           std::span<const routing::Route> routes, routing::Messages messages) {
  std::map<std::pair<subdomain_id, subdomain_id>, const routing::Route*> by_pair;
  for (const auto& route : routes) by_pair[{route.from, route.to}] = &route;
  std::vector<RoutedMessage> routed;
  for (const subdomain_id sender : senders) {
    for (const auto& flow : partition::outgoing_flows(geometry, sender)) {
      const routing::Route& route = *by_pair.at({flow.from, flow.to});
      routed.push_back({route, routing::bytes_sent(flow, route.transport)});
    }
  }
  count_messages(geometry, placement, messages, routed);
  return routed;
}

void count_messages(const partition::Geometry& geometry, const placement::Placement& placement,
                    routing::Messages messages, std::span<RoutedMessage> routed) {
  switch (messages) {
    case routing::Messages::by_neighbour: return;
    case routing::Messages::by_direction: return count_directions(geometry, routed);
    case routing::Messages::by_rank:
    case routing::Messages::by_node: return count_bundles(placement, messages, routed);
    case routing::Messages::automatic: throw InternalError("messages are counted before they were chosen");
  }
}

}  // namespace halocline

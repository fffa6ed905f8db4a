// SPDX-License-Identifier: BSD-3-Clause
#include "plan/routed_messages.hpp"

#include <map>
#include <optional>
#include <utility>

#include "routing/messages.hpp"

namespace halocline {

std::vector<RoutedMessage> routed_messages(const partition::Geometry& geometry, std::span<const subdomain_id> senders,
                                           std::span<const routing::Route> routes, routing::Messages messages) {
  std::map<std::pair<subdomain_id, subdomain_id>, const routing::Route*> by_pair;
  for (const auto& route : routes) by_pair[{route.from, route.to}] = &route;
  std::vector<RoutedMessage> routed;
  for (const subdomain_id sender : senders) {
    for (const auto& flow : partition::outgoing_flows(geometry, sender)) {
      routed.push_back({*by_pair.at({flow.from, flow.to}), flow.bytes});
    }
  }
  count_messages(geometry, messages, routed);
  return routed;
}

void count_messages(const partition::Geometry& geometry, routing::Messages messages, std::span<RoutedMessage> routed) {
  if (messages == routing::Messages::by_neighbour) return;
  std::optional<subdomain_id> sender;
  std::map<subdomain_id, std::int64_t> directions;  // by receiver
  for (RoutedMessage& one : routed) {
    if (!routing::moves_one_by_one(one.route.transport)) continue;
    if (sender != one.route.from) {
      sender = one.route.from;
      directions.clear();
      for (const auto& message : partition::outgoing(geometry, *sender)) {
        directions[message.to] = std::ssize(routing::by_direction(message));
      }
    }
    one.messages = directions.at(one.route.to);
  }
}

}  // namespace halocline

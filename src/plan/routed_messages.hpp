// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// The messages that the given subdomains send, each with its route.
[[nodiscard]] std::vector<RoutedMessage> routed_messages(const partition::Geometry& geometry,
                                                         const placement::Placement& placement,
                                                         std::span<const subdomain_id> senders,
                                                         std::span<const routing::Route> routes,
                                                         routing::Messages messages);

/// Sets RoutedMessage::messages, and bytes of messages by direction, which share no cells. The entries of one sender are adjacent.
void count_messages(const partition::Geometry& geometry, const placement::Placement& placement,
                    routing::Messages messages, std::span<RoutedMessage> routed);

}  // namespace halocline

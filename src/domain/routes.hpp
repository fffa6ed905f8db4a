#pragma once

#include <span>
#include <vector>

#include "halocline/comm/communicator.hpp"
#include "halocline/domain/plan.hpp"

namespace halocline {

/// The messages that the given subdomains send, each with its route.
[[nodiscard]] std::vector<RoutedMessage> routed_messages(const partition::Geometry& geometry,
                                                         std::span<const subdomain_id> senders,
                                                         std::span<const routing::Route> routes);

/// Collective: what all ranks gave, by sender then receiver.
[[nodiscard]] std::vector<RoutedMessage> gather_routed_messages(comm::Communicator& comm,
                                                                std::span<const RoutedMessage> mine);

}  // namespace halocline

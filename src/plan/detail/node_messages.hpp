// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// The messages from and to the subdomains of a node, with routes as assumed_routes() makes them, in the order of senders.
[[nodiscard]] std::vector<RoutedMessage> messages_of_node(const Plan& plan, const routing::Policy& policy,
                                                          bool device_mpi, node_id node);

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.hpp"

// What the simulation of an exchange leaves out, one at a time (docs/measurements/simulation.md). Nothing of it is in the model.
namespace halocline::bench {

/// An uplink of a leaf switch for a message between two leaves: a number below the uplinks of a switch.
using UplinkOf = std::function<int(rank_id from, node_id from_node, node_id to_node, int uplinks)>;

struct Cause {
  std::string name;
  /// Static routing: each message takes one link up and one down, instead of an even share of all.
  UplinkOf uplink{};
  /// Messages that the cards of a node send, and receive, a second; 0: any.
  double message_rate = 0;
  /// Seconds by which a rank begins late. kernels: seconds of the kernels of the busiest device in this exchange.
  std::function<double(rank_id, double kernels)> late{};
};

/// Those that are published, with their figures, and delays of any origin.
[[nodiscard]] std::vector<Cause> causes();

/// Seconds of one exchange of a plan. Requires a fat tree and the route of each message.
[[nodiscard]] double seconds_with(const Plan& plan, std::span<const RoutedMessage> routes, const Cause& cause);

}  // namespace halocline::bench

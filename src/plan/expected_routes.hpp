// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

// What an exchange should take on the machine that was planned for, as the measure of a slow path (docs/decisions/0070).
namespace halocline {

/// What a message is expected to take with the transport that the machine map allows.
struct ExpectedRoute {
  routing::Route route;
  std::int64_t bytes = 0;
  double seconds = 0;  ///< from the start of the exchange to the message's end
  int by_host = 0;     ///< messages that the receiver's host completes
};

/// The messages that a rank's subdomains receive, of one exchange of all fields, by sender then receiver. Simulated with all messages
/// from and to the rank's node. Routes are what the map allows, with MPI everywhere, and with MPI on device memory for GPUs: not what
/// was found possible.
/// Where the map has no exchange rates, short rows count as whole lines of memory, and host devices share the cores of their node.
/// Cost: the simulation of one node's messages.
[[nodiscard]] std::vector<ExpectedRoute> expected_routes(const Plan& plan, const routing::Policy& policy, bool gpus,
                                                         rank_id receiver,
                                                         routing::Messages messages = routing::Messages::by_neighbour);

/// When a time counts as slow: above factor times the expected one, plus a constant for the latencies that no map has.
struct Tolerance {
  double factor = 4;
  double seconds = 0;
  [[nodiscard]] double limit(double expected) const { return factor * expected + seconds; }
};
/// factor: 2 for GPUs of a map with measured rates, otherwise 4. by_host: messages that the host completes in an exchange; of GPUs, each
/// of them takes the host some time more.
[[nodiscard]] Tolerance tolerance_of(const machine::MachineMap& map, bool gpus, int by_host = 0);

}  // namespace halocline

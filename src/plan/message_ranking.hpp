// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

// How messages are consolidated where that is left to the model (docs/decisions/0074).
namespace halocline {

/// The predicted times of an exchange with each value of routing::Messages that is possible.
struct MessageRanking {
  struct Candidate {
    routing::Messages messages = routing::Messages::by_neighbour;
    double seconds = 0;
  };
  std::vector<Candidate> candidates;  ///< the fastest first, of equals in the order of the enumerators
  /// The fastest, if it is predicted to be least_gain times as fast as by_neighbour, which is the choice otherwise.
  routing::Messages chosen = routing::Messages::by_neighbour;
  std::string why_not;  ///< why there are no candidates; empty where there are

  /// The predictions' error on a test bed is less than this.
  static constexpr double least_gain = 1.25;
};

/// What of the ranks and devices counts for a ranking; the same on all ranks.
struct MessageFreedom {
  bool device_mpi = false;  ///< MPI takes device pointers
  bool by_node = false;     ///< host devices, and the ranks of each node share memory
};

/// Simulates the messages from and to the node that sends most to others, on the map with its measured rates; routes are what the map
/// allows. There is no ranking where the map's software has no costs of messages (mpi_overhead, mpi_latency, device_launch). Pure: all
/// ranks find the same.
[[nodiscard]] MessageRanking rank_messages(const Plan& plan, const routing::Policy& policy,
                                           const MessageFreedom& freedom);

/// The time that the ranking compares.
[[nodiscard]] double predicted_exchange(const Plan& plan, const routing::Policy& policy, bool device_mpi,
                                        routing::Messages messages);

/// One line: "messages   by_node: predicted 0.52 ms an exchange, by_neighbour 1.9 ms, ...".
[[nodiscard]] std::string explain_messages(const MessageRanking& ranking);

}  // namespace halocline

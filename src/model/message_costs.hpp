// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "machine/machine_map.hpp"

namespace halocline::model {

/// An exchange that was timed, and what the simulation gives for it with the software of ranks as an argument.
struct MessageTrial {
  double seconds = 0;
  std::function<double(const machine::Software&)> simulated;
};

struct MessageCosts {
  machine::Software software;
  double largest_error = 0;  ///< of the trials: |simulated / measured - 1|
};

/// Fits mpi_overhead, device_launch, mpi_latency and, as time of the rank's core, mpi_injection to trials, by least squares of relative
/// errors; what else `start` holds stays. A cost that the trials do not show is 1 ns (for mpi_injection, a KiB), because 0 stands for
/// unknown. Exchanges with many messages, with few and with nearly none, of the same cells, and some of more cells, tell the four
/// apart. Throws InvalidArgument without trials, or if a time is not above 0.
[[nodiscard]] MessageCosts fit_message_costs(const machine::Software& start, std::span<const MessageTrial> trials);

}  // namespace halocline::model

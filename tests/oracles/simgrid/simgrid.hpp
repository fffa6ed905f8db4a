// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "model/simulation/network.hpp"

namespace halocline::model::simulation {

/// When each flow ends, in seconds, by SimGrid, in a child process: SimGrid has one engine a process. Call it while the process has
/// one thread. Throws std::runtime_error where the child fails: its message is on standard error. A flow takes by weight
/// of at most two links, the first and the last of its route, the only ones for which SimGrid has weights.
[[nodiscard]] std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

}  // namespace halocline::model::simulation

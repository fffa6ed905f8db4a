// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "model/simulation/network.hpp"

namespace halocline::model::simulation {

/// Returns when each flow ends, in seconds, according to SimGrid, which runs in a child process because a process can
/// have only one SimGrid engine. The calling process must have one thread. Throws std::runtime_error if the child
/// fails, with its message on standard error. A flow may use at most two links by weight, the first and the last of its
/// route, the only ones for which SimGrid has weights.
[[nodiscard]] std::vector<double> ends_by_simgrid(std::span<const double> bandwidths, std::span<const LinkFlow> flows);

}  // namespace halocline::model::simulation

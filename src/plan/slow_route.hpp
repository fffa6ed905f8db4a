// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace halocline {

/// A route that took longer than expected.
struct SlowRoute {
  routing::Route route;
  routing::Transport expected_transport = routing::Transport::mpi_staged;
  std::int64_t bytes = 0;
  double observed = 0;  ///< seconds
  double expected = 0;  ///< seconds
  /// Whether set-up fell back: to a later transport of the default order. An earlier one is no reason to be slow.
  [[nodiscard]] bool fell_back() const { return route.transport > expected_transport; }
};

/// Where a rank's threads may run.
struct RankCores {
  std::vector<int> cpus;  ///< processing units, by the operating system's number; empty where unknown
  int numa = -1;          ///< the vertex of the NUMA node that all of them are in; -1: several, or unknown
};

/// Why a route is slow, from what set-up has found: another transport than expected, with the reasons that routing gave (memory that
/// cannot be mapped, masked GPUs, MPI that does not take device pointers); threads that share cores; cores far from the device; links
/// that were measured below their nominal rate; or else the links themselves. cores: by rank. Pure.
[[nodiscard]] std::string likely_cause(const SlowRoute& slow, const Plan& plan, std::span<const RankCores> cores,
                                       bool gpus);

/// One line: the route, both rates and the likely cause. exchanges: that were timed.
[[nodiscard]] std::string slow_route_text(const SlowRoute& slow, const Plan& plan, std::span<const RankCores> cores,
                                          bool gpus, int exchanges);

}  // namespace halocline

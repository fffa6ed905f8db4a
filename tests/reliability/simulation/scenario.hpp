// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "simulation/simulator.hpp"

namespace halocline::simulation {

/// How a run differs from what its seed chooses, to find what a failure needs.
struct Less {
  bool without_delays = false;
  bool without_lost_wakes = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> without;  ///< numbers of disturbances
};

/// What the seed chooses before anything runs.
[[nodiscard]] Disturbances disturbances_of(std::uint64_t seed, const Less& less);

/// What the seed runs, in words.
[[nodiscard]] std::string describe(std::uint64_t seed);

/// Runs the seed's ranks in the simulation that has begun. Returns what is wrong; empty if nothing is. The first word is the kind of the failure.
[[nodiscard]] std::string run_scenario(std::uint64_t seed);

}  // namespace halocline::simulation

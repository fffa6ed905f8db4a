// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "simulation/scenario.hpp"

namespace halocline::simulation {

enum class Shows { nothing, disturbances, everything };

/// How the run of one seed ended.
struct Outcome {
  std::string failure;  ///< empty if nothing is wrong; its first word is the kind
  std::uint64_t hash = 0;
  std::uint64_t points = 0;
  std::uint64_t disturbed = 0;
  double virtual_s = 0;
  double seconds = 0;

  [[nodiscard]] std::string kind() const { return failure.substr(0, failure.find(':')); }
};

/// Runs a seed in a process of its own, so that nothing of an earlier seed and no crash matters. shows: what of its trace is printed.
[[nodiscard]] Outcome run_seed(std::uint64_t seed, const Less& less = {}, Shows shows = Shows::nothing);

/// Leaves out as many disturbances as possible while the seed fails in the same way. Prints what it does; returns what is left out.
[[nodiscard]] Less shrink(std::uint64_t seed, const Outcome& failed);

}  // namespace halocline::simulation

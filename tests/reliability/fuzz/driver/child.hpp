// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "driver/mutator.hpp"

namespace halocline::fuzz {

/// The limits that every input has to be answered within.
struct Limits {
  double seconds = 2;                               ///< of a core; in builds with sanitizers ten times as many
  std::uint64_t memory = std::uint64_t{512} << 20;  ///< bytes; not in builds with sanitizers, which reserve addresses
};

/// Counts of inputs.
struct Tally {
  std::uint64_t valid = 0;
  std::uint64_t refused = 0;
  double longest = 0;         ///< seconds
  std::uint64_t slowest = 0;  ///< the seed that took them
};

/// How a series of seeds ended: after its last, or at one that failed.
struct Outcome {
  std::uint64_t next = 0;  ///< the first seed that was not run
  std::string failure;     ///< of the seed before; empty if there is none
  bool after_all = false;  ///< it failed behind the last seed, where leaks are reported
};

/// Runs the target on seeds from `first` to `end` - 1 in a child process, until one fails.
[[nodiscard]] Outcome run_seeds(const Mutator& mutator, std::uint64_t first, std::uint64_t end, const Limits& limits,
                                Tally& tally);

/// Runs the target on one input in a child process. The failure, or nothing.
[[nodiscard]] std::string run_input(const std::string& input, const Limits& limits, Tally& tally);

}  // namespace halocline::fuzz

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "halocline/halocline.hpp"

namespace halocline::bench {

struct HealthyRuns {
  std::int64_t first = 0;
  std::int64_t runs = 1000;
  std::uint64_t seed = 1;
  std::int64_t most_edge = 256;  ///< cells of a domain in each dimension, at most
  /// Host devices whose copies take so many milliseconds longer, so that each run has a slow path; 0: none.
  int slow_copies = 0;
  bool all = false;  ///< prints runs without a warning, too
};

/// Collective: sets up, exchanges and closes one seeded domain after another, with slow paths reported. Rank 0 prints each warning
/// with the run's number and choices, then the counts. Returns the exit code: 1 if there was a warning.
int run_healthy(comm::RankGroup& world, const DomainOptions& options, const HealthyRuns& wanted);

struct Cost {
  std::int64_t edge = 64;
  int fields = 4;
  int rounds = 60;
};

/// Collective: times exchanges without the watch, with it, and with marks around each of them, in turns. Rank 0 prints the table.
int run_cost(comm::RankGroup& world, const DomainOptions& options, const Cost& wanted);

/// Enqueues a kernel that updates a box of the field, reading its current buffer and writing the next one, in the subdomain's stream.
void update_on_gpu(const Subdomain& subdomain, Field<float> field, const Box& box);

}  // namespace halocline::bench

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "support/cuda.cuh"

namespace halocline::bench {

/// What one stream of one device does, again and again.
struct Work {
  int device = 0;
  std::function<void(cudaStream_t)> enqueue;  ///< one operation
};

/// Runs all work at the same time: each stream waits at a gate until everything is enqueued. Returns the seconds of
/// one operation of each, timed by events over `count` operations. Does all once before, so that nothing is loaded or
/// mapped while it is timed.
[[nodiscard]] std::vector<double> run_lanes(const std::vector<Work>& work, int count);

/// bytes / seconds of the slowest, `repeats` times.
[[nodiscard]] std::vector<double> lane_rates(const std::vector<Work>& work, int count, double bytes, int repeats = 5);

}  // namespace halocline::bench

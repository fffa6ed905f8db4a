// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/view.hpp"

namespace halocline::test {

/// The arguments of one subdomain's kernels in one step.
struct StressStep {
  Vec3 domain;
  std::uint64_t field = 0;
  std::uint64_t step = 0;
  /// Blocks of the fill kernel pause at random, by this seed, for at most this number of nanoseconds; 0: never.
  std::uint64_t seed = 0;
  std::uint32_t longest_rest_ns = 0;
};

/// Counters of a compare kernel, in device memory.
struct StressCount {
  std::uint64_t compared;
  std::uint64_t wrong;
  std::uint64_t first_step;  ///< of a wrong cell, plus 1
  std::int64_t first_cell[3];
};

/// Enqueues on a cudaStream_t: sets owned cells to their values of this step, all others to NaN.
void fill(void* stream, const View<float>& view, const StressStep& step);
/// Enqueues: compares every cell, halos included, with the owner's value (all halos are read, all boundaries are
/// periodic).
void compare(void* stream, const View<float>& view, const StressStep& step, StressCount* count);

}  // namespace halocline::test

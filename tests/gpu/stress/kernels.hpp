// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "halocline/view.hpp"

namespace halocline::test {

/// What the kernels of one subdomain are told in one step.
struct StressStep {
  Vec3 domain;
  std::uint64_t field = 0;
  std::uint64_t step = 0;
  /// Blocks of the fill kernel rest at random, by this seed, for up to so many nanoseconds; 0: none does.
  std::uint64_t seed = 0;
  std::uint32_t longest_rest_ns = 0;
};

/// What a compare kernel adds up in device memory.
struct StressCount {
  std::uint64_t compared;
  std::uint64_t wrong;
  std::uint64_t first_step;  ///< of a wrong cell, plus 1
  std::int64_t first_cell[3];
};

/// Enqueues on a cudaStream_t: owned cells get their values of this step, all others NaN.
void fill(void* stream, const View<float>& view, const StressStep& step);
/// Enqueues: compares every cell, halos too (all of them are read, all boundaries periodic), with what its owner wrote.
void compare(void* stream, const View<float>& view, const StressStep& step, StressCount* count);

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "comm/rank_group.hpp"

namespace apps {

/// Collective: seconds that the slowest rank takes for work(), which all of them begin together. What work() enqueues counts as
/// far as work() waits for it.
template <typename Work>
[[nodiscard]] double slowest_seconds(halocline::comm::RankGroup& comm, Work&& work) {
  comm.barrier();
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return comm.all_reduce(took.count(), halocline::comm::Reduction::max);
}

}  // namespace apps

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "comm/rank_group.hpp"
#include "core/clock.hpp"

namespace halocline::comm {

/// One rank alone, without MPI; a message to itself is copied.
[[nodiscard]] std::unique_ptr<RankGroup> serial(const Clock& clock = Clock::steady());

struct ThreadsOptions {
  const Clock* clock = &Clock::steady();
  Duration timeout = std::chrono::seconds(60);
};

/// Runs body once for each rank, each in a thread of this process with its RankGroup, and joins the threads. If a
/// rank has ended, with an exception or without, waits of other ranks for it fail with CommunicationError at once
/// instead of lasting until the timeout. If bodies throw, one exception is thrown again after all have ended: the first
/// in rank order, where exceptions that only followed from another rank's end come last. A send is copied and done at
/// once.
void run_as_threads(int ranks, const std::function<void(RankGroup&)>& body, const ThreadsOptions& options = {});

}  // namespace halocline::comm

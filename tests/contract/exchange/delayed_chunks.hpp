// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>

#include "comm/local_ranks.hpp"
#include "support/effort.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {

/// Random cases by mpi_staged, with ranks as threads: every cell is as geometry says, with delays everywhere. cases: the seed of
/// random_case() before the first of so many. change(case, seed): what else is different.
template <typename Change>
void expect_right_in_delayed_chunks(int ranks, std::int64_t chunk_bytes, std::uint64_t cases, std::uint64_t number,
                                    Change&& change) {
  std::mutex mutex;
  comm::run_as_threads(ranks, [&](comm::RankGroup& comm) {
    for (std::uint64_t seed = 1; seed <= number; ++seed) {
      // Builds that run a part of the cases run a different one for each number of ranks.
      if ((seed + static_cast<std::uint64_t>(ranks)) % one_in != 0) continue;
      HaloCase c = random_case(cases + seed, ranks);
      c.policy.order = {routing::Transport::mpi_staged};
      c.tuning.staging_chunk_bytes = chunk_bytes;
      c.tuning.zero_copy_at_most_bytes = seed % 2 == 0 ? 0 : 400;
      c.delay_seed = seed;
      c.steps = 4;
      change(c, seed);
      const HaloOutcome outcome = run_case(comm, c);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(outcome.wrong, "") << c.name << ", " << ranks << " ranks, rank " << comm.rank().value();
      EXPECT_GT(outcome.cells, 0) << c.name;
    }
  });
}

/// On 1, 2 and 4 ranks.
inline void expect_right_in_delayed_chunks(std::int64_t chunk_bytes, exchange::Messages messages, std::uint64_t cases,
                                           std::uint64_t number) {
  for (const int ranks : {1, 2, 4}) {
    expect_right_in_delayed_chunks(ranks, chunk_bytes, cases, number,
                                   [&](HaloCase& c, std::uint64_t) { c.messages = messages; });
  }
}

}  // namespace halocline::test

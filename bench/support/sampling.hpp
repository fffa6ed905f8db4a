// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/rank_group.hpp"

namespace halocline::bench {

/// How long to time. Counts are the same on all ranks: they follow from the slowest rank's time.
struct Budget {
  int rounds = 5;        ///< turns that each contender gets
  int samples = 30;      ///< exchanges timed one by one in a round, at most
  int steady = 1000;     ///< exchanges back to back in a round, at most; 0: none
  double seconds = 0.1;  ///< that each of the two may take, beyond 3 samples and 3 back to back
  int warm_up = 2;       ///< exchanges before those that count, in each round
};

/// One way to do the same thing as the others. All calls are collective.
struct Contender {
  std::string name;
  /// Enqueues, or does, one exchange.
  std::function<void()> exchange;
  /// Waits until all that was enqueued is done.
  std::function<void()> synchronize;
  /// Enqueues exchanges back to back, in launches of `at_once`; exchange() for each where empty.
  std::function<void(int)> back_to_back = {};
  int at_once = 1;
};

/// What one round of a contender took, in seconds: each sample is the slowest rank's.
struct Timing {
  std::vector<double> samples;  ///< barrier, exchange, synchronise
  double steady = 0;            ///< an exchange of `steady_count` back to back with one synchronisation
  int steady_count = 0;
};

struct Spread {
  double min = 0;
  double median = 0;
  double max = 0;
};
/// Of values in any order; throws InternalError without any. Of an even number, the median is the mean of the two in
/// the middle.
[[nodiscard]] Spread spread_of(std::span<const double> values);

/// Seconds of this process's steady clock.
[[nodiscard]] double now();

/// Collective: how many calls of `once` seconds (the slowest rank's counts) fit, at least 3 and at most `most`.
[[nodiscard]] int count_within(comm::RankGroup& world, double seconds, double once, int most);

/// Collective: one round of one contender.
[[nodiscard]] Timing time_round(comm::RankGroup& world, const Contender& contender, const Budget& budget);

/// Collective: all contenders take turns, round by round, so that all see the same machine.
/// [contender][round]
[[nodiscard]] std::vector<std::vector<Timing>> take_turns(comm::RankGroup& world, std::span<const Contender> contenders,
                                                          const Budget& budget);

}  // namespace halocline::bench

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "comm/rank_group.hpp"
#include "core/clock.hpp"
#include "io/tuning_cache.hpp"

// Settings against the default, by the clock.
namespace halocline::tune {

/// Exchanges with some settings. The destructor does not communicate.
class Contestant {
 public:
  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant() = default;
  /// All ranks together do so many exchanges; returns this rank's seconds of one.
  [[nodiscard]] virtual double seconds_of_one(std::int64_t exchanges) = 0;
  /// Collective. Not called after an error.
  virtual void close() = 0;
};
/// Collective.
using Make = std::function<std::unique_ptr<Contestant>(const io::Settings&)>;

struct Candidate {
  io::Settings settings;
  std::optional<double> predicted{};  ///< seconds, by the model
};

/// Collective: times the candidates, in their order, against the default, within a budget. Key, ceilings and predicted of the result are
/// left to the caller. The same on all ranks: a time is the slowest rank's, and so is what was spent of the budget.
///
/// Each candidate and the default are timed in turns, in a few rounds; what looks faster, and the faster settings together, are timed
/// with the default again, in fresh rounds, which decide. Nothing begins once the budget is used up, and what was left out is named;
/// settings whose set-up or exchange fails on any rank are left out by that error. Throws the default's own error, on all ranks.
/// Memory: of the default and of at most three others at once; the others are fewer where that does not fit.
[[nodiscard]] io::TunedEntry run_trials(comm::RankGroup& comm, const Clock& clock, const Make& make,
                                        std::span<const Candidate> candidates, Duration budget);

}  // namespace halocline::tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trials.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "core/printable.hpp"
#include "halocline/error.hpp"
#include "tune/choice.hpp"

namespace halocline::tune {
namespace {

constexpr int rounds_of_trial = 12;
constexpr int rounds_of_hopeless = 4;  ///< and the fewest that count
constexpr int rounds_of_final = 100;
constexpr std::size_t most_finalists = 3;
/// Parts of the budget from which on no trial begins, so that the last rounds have the rest.
constexpr double for_trials = 0.7;
constexpr double for_together = 0.8;
/// Part of the budget after which a trial has no more rounds than it needs.
constexpr double for_trial = 0.15;
/// A sample is so much of the budget, or one exchange.
constexpr double of_sample = 1.0 / 1200;
constexpr std::int64_t most_exchanges = 10'000;

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

class Trials {
 public:
  Trials(comm::RankGroup& comm, const Clock& clock, const Make& make, Duration budget)
      : comm_(&comm), clock_(&clock), make_(&make), budget_(seconds_of(budget)), begin_(clock.now()) {}

  io::TunedEntry run(std::span<const Candidate> candidates) {
    entry_.budget = budget_;
    default_ = make_agreed({});
    warm_up();
    for (const Candidate& candidate : candidates) {
      if (spent(for_trials)) {
        skip(candidate.settings, used_up());
      } else {
        try_one(candidate.settings, candidate.predicted);
      }
    }
    std::ranges::stable_sort(entry_.trials, is_before);
    try_together();
    decide();
    default_->close();
    entry_.spent = spent_;
    return std::move(entry_);
  }

 private:
  using Times = std::vector<std::vector<double>>;  ///< by contestant, the default first

  [[nodiscard]] bool spent(double part) const { return spent_ >= part * budget_; }
  [[nodiscard]] std::string used_up() const { return fmt::format("the budget of {} s was used up", budget_); }
  void skip(const io::Settings& settings, std::string_view why) {
    entry_.skipped.push_back({io::text_of(settings), printable(why)});
  }

  /// Throws the same error on all ranks if one of them fails. This rank's part stays open then, as others do not close theirs.
  std::unique_ptr<Contestant> make_agreed(const io::Settings& settings) {
    std::unique_ptr<Contestant> made;
    comm::agree_on(*comm_, [&] { made = (*make_)(settings); });
    note_time();
    return made;
  }
  /// After an error that no other settings help against.
  [[nodiscard]] bool is_the_end() const { return default_failed_ || comm_->poisoned(); }
  void note_time() { spent_ = comm_->all_reduce(seconds_of(clock_->now() - begin_), comm::Reduction::max); }

  /// The slowest rank's time.
  double sample(Contestant& contestant, std::int64_t exchanges) {
    comm_->barrier();
    std::exception_ptr failure;
    std::array<double, 2> slowest{};
    try {
      slowest[0] = contestant.seconds_of_one(exchanges);
    } catch (...) {
      failure = std::current_exception();
      slowest[0] = std::numeric_limits<double>::infinity();
    }
    slowest[1] = seconds_of(clock_->now() - begin_);
    comm_->all_reduce(slowest, comm::Reduction::max);
    spent_ = slowest[1];
    if (std::isinf(slowest[0])) {
      default_failed_ = &contestant == default_.get();
      comm::agree(*comm_, failure);
    }
    return slowest[0];
  }

  void warm_up() {
    static_cast<void>(sample(*default_, 1));
    const double one = sample(*default_, 1);
    const double wanted = budget_ * of_sample / std::max(one, 1e-9);
    exchanges_ = std::clamp<std::int64_t>(std::llround(std::min(wanted, 1e9)), 1, most_exchanges);
  }

  /// One sample of each; who begins changes from round to round.
  void round(std::span<Contestant* const> contestants, Times& times) {
    times.resize(contestants.size());
    const std::size_t first = times[0].size();
    std::vector<double> seconds(contestants.size());
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const std::size_t turn = (first + i) % contestants.size();
      seconds[turn] = sample(*contestants[turn], exchanges_);
    }
    for (std::size_t i = 0; i < contestants.size(); ++i) times[i].push_back(seconds[i]);
  }

  static io::TunedTrial trial_of(const io::Settings& settings, std::optional<double> predicted,
                                 const std::vector<double>& seconds, const std::vector<double>& of_default) {
    return {settings, static_cast<int>(seconds.size()), quantiles_of(seconds), quantiles_of(of_default), predicted};
  }

  void try_one(const io::Settings& settings, std::optional<double> predicted) {
    try {
      auto contestant = make_agreed(settings);
      static_cast<void>(sample(*contestant, 1));
      const std::array<Contestant*, 2> both{default_.get(), contestant.get()};
      Times times;
      io::TunedTrial trial;
      const double begin = spent_;
      const auto goes_on = [&] {
        if (trial.rounds < rounds_of_hopeless) return true;
        const bool has_time = !spent(for_trials) && spent_ - begin < for_trial * budget_;
        return trial.rounds < rounds_of_trial && has_time && !is_hopeless(trial);
      };
      do {
        round(both, times);
        trial = trial_of(settings, predicted, times[1], times[0]);
      } while (goes_on());
      contestant->close();
      entry_.trials.push_back(std::move(trial));
    } catch (const Error& error) {
      if (is_the_end()) throw;
      skip(settings, error.what());
    }
  }

  void try_together() {
    const io::Settings all = together(entry_.trials);
    const auto is_tried = [&](const io::TunedTrial& trial) { return trial.settings == all; };
    if (all.empty() || std::ranges::any_of(entry_.trials, is_tried)) return;
    if (spent(for_together)) return skip(all, used_up());
    try_one(all, {});
    std::ranges::stable_sort(entry_.trials, is_before);
  }

  struct Finalist {
    const io::TunedTrial* trial;
    std::unique_ptr<Contestant> contestant;
  };

  /// Fresh rounds, as the fastest of many is often only the luckiest.
  void decide() {
    std::vector<Finalist> finalists;
    for (const io::TunedTrial& trial : entry_.trials) {
      if (finalists.size() == most_finalists) break;
      if (!is_promising(trial)) continue;
      if (spent(1)) {
        skip(trial.settings, used_up() + " before it was confirmed");
        break;
      }
      try {
        finalists.push_back({&trial, make_agreed(trial.settings)});
        static_cast<void>(sample(*finalists.back().contestant, 1));
      } catch (const Error& error) {
        if (is_the_end()) throw;
        if (!finalists.empty() && finalists.back().trial == &trial) finalists.pop_back();
        skip(trial.settings, error.what());
      }
    }
    if (finalists.empty()) return;
    const Times times = final_rounds(finalists);
    if (times.empty()) return;
    std::vector<io::TunedTrial> confirmed;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      finalists[i].contestant->close();
      const io::TunedTrial& trial = *finalists[i].trial;
      confirmed.push_back(trial_of(trial.settings, trial.predicted, times[i + 1], times[0]));
    }
    if (const io::TunedTrial* const winner = winner_of(confirmed)) {
      entry_.winner = winner->settings;
      entry_.confirmed = *winner;
    }
  }

  /// Empty if one of the contestants failed: nothing is chosen then.
  Times final_rounds(std::span<const Finalist> finalists) {
    std::vector<Contestant*> all{default_.get()};
    for (const Finalist& finalist : finalists) all.push_back(finalist.contestant.get());
    Times times;
    try {
      do {
        round(all, times);
      } while (std::ssize(times[0]) < rounds_of_hopeless || (std::ssize(times[0]) < rounds_of_final && !spent(1)));
    } catch (const Error& error) {
      if (is_the_end()) throw;
      skip(finalists.front().trial->settings, error.what());
      return {};
    }
    return times;
  }

  comm::RankGroup* comm_;
  const Clock* clock_;
  const Make* make_;
  double budget_;
  Duration begin_;
  double spent_ = 0;  ///< of the slowest rank, when it was last compared
  std::int64_t exchanges_ = 1;
  std::unique_ptr<Contestant> default_;
  bool default_failed_ = false;
  io::TunedEntry entry_;
};

}  // namespace

io::TunedEntry run_trials(comm::RankGroup& comm, const Clock& clock, const Make& make,
                          std::span<const Candidate> candidates, Duration budget) {
  return Trials(comm, clock, make, budget).run(candidates);
}

}  // namespace halocline::tune

// SPDX-License-Identifier: BSD-3-Clause
// Trials with planted times: nothing is exchanged, and clocks go as far as contestants pretend to take.
#include "tune/trials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "halocline/error.hpp"
#include "support/error_of.hpp"
#include "support/manual_clock.hpp"

namespace halocline::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

io::Settings named_setting(const std::string& name) { return {{name, "x"}}; }

/// How long one exchange takes with some settings, by rank and by how many samples there were.
using Planted = std::function<double(const io::Settings&, int rank, int sample)>;

struct TrialsCase {
  int ranks = 1;
  Planted seconds;
  std::vector<std::string> names{};
  Duration budget = 2s;
  /// Runs where settings are set up; may throw.
  std::function<void(const io::Settings&, int rank)> set_up = [](const auto&, int) {};
};

/// What each rank found, and what it did in which order.
struct Found {
  io::TunedEntry entry;
  std::vector<std::string> order;
  int open = 0;  ///< contestants that were not closed
};

class PlantedContestant final : public Contestant {
 public:
  PlantedContestant(const TrialsCase& given, io::Settings settings, int rank, test::ManualClock& clock, Found& found)
      : given_(&given), settings_(std::move(settings)), rank_(rank), clock_(&clock), found_(&found) {
    ++found.open;
  }
  double seconds_of_one(std::int64_t exchanges) override {
    found_->order.push_back(io::text_of(settings_));
    const double one = given_->seconds(settings_, rank_, samples_++);
    clock_->advance(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(one * static_cast<double>(exchanges))));
    return one;
  }
  void close() override { --found_->open; }

 private:
  const TrialsCase* given_;
  io::Settings settings_;
  int rank_;
  int samples_ = 0;
  test::ManualClock* clock_;
  Found* found_;
};

std::vector<Found> trials_of(const TrialsCase& given) {
  std::vector<Found> all(static_cast<std::size_t>(given.ranks));
  comm::run_as_threads(given.ranks, [&](comm::RankGroup& comm) {
    const int rank = static_cast<int>(comm.rank().value());
    Found& found = all[comm.rank().index()];
    test::ManualClock clock;
    std::vector<Candidate> candidates;
    for (const std::string& name : given.names) candidates.push_back({named_setting(name)});
    const Make make = [&](const io::Settings& settings) {
      given.set_up(settings, rank);
      return std::make_unique<PlantedContestant>(given, settings, rank, clock, found);
    };
    found.entry = run_trials(comm, clock, make, candidates, given.budget);
  });
  return all;
}

/// By the first setting's name; the default takes 1 ms.
Planted by_name(const std::map<std::string, double>& milliseconds) {
  return [milliseconds](const io::Settings& settings, int, int) {
    double product = 1;
    for (const auto& [name, value] : settings) product *= milliseconds.at(name);
    return 1e-3 * product;
  };
}

std::string why_skipped(const io::TunedEntry& entry, const std::string& what) {
  for (const io::TunedSkip& skip : entry.skipped) {
    if (skip.what == what) return skip.why;
  }
  return "(not skipped)";
}

TEST(Trials, TheFastestWins) {
  const auto found = trials_of({.seconds = by_name({{"a", 0.9}, {"b", 2}}), .names = {"b", "a"}})[0];
  EXPECT_EQ(found.entry.winner, named_setting("a"));
  ASSERT_TRUE(found.entry.confirmed.has_value());
  EXPECT_NEAR(found.entry.confirmed->seconds.p50, 0.9e-3, 1e-9);
  EXPECT_NEAR(found.entry.confirmed->of_default.p50, 1e-3, 1e-9);
  ASSERT_EQ(found.entry.trials.size(), 2U);
  EXPECT_EQ(found.entry.trials[0].settings, named_setting("a"));
  EXPECT_EQ(found.open, 0);
}

TEST(Trials, TheDefaultStaysUnlessThreePercentFaster) {
  const auto stays = trials_of({.seconds = by_name({{"a", 0.98}}), .names = {"a"}})[0];
  EXPECT_EQ(stays.entry.winner, io::Settings{});
  EXPECT_FALSE(stays.entry.confirmed.has_value());
  const auto goes = trials_of({.seconds = by_name({{"a", 0.96}}), .names = {"a"}})[0];
  EXPECT_EQ(goes.entry.winner, named_setting("a"));
}

TEST(Trials, FasterSettingsAreTriedTogether) {
  const auto found = trials_of({.seconds = by_name({{"a", 0.8}, {"b", 0.7}}), .names = {"a", "b"}})[0];
  EXPECT_EQ(found.entry.winner, (io::Settings{{"a", "x"}, {"b", "x"}}));
}

/// Luck in the first rounds is not enough: others decide.
TEST(Trials, FreshRoundsDecide) {
  std::map<std::string, int> made;
  const auto found =
      trials_of({.seconds =
                     [&](const io::Settings& settings, int, int) {
                       const bool first = !settings.empty() && made[io::text_of(settings)] == 1;
                       return first ? 0.5e-3 : 1e-3;
                     },
                 .names = {"a"},
                 .set_up = [&](const io::Settings& settings, int) { ++made[io::text_of(settings)]; }})[0];
  EXPECT_EQ(found.entry.trials.at(0).seconds.p50, 0.5e-3);
  EXPECT_EQ(found.entry.winner, io::Settings{});
}

TEST(Trials, ContestantsTakeTurns) {
  const auto found = trials_of({.seconds = by_name({{"a", 1}}), .names = {"a"}})[0];
  // Two of the default alone and one of a, whose times do not count.
  const std::vector<std::string> rounds(found.order.begin() + 3, found.order.end());
  ASSERT_EQ(rounds.size(), 24U);
  for (std::size_t i = 0; i + 3 < rounds.size(); i += 4) {
    EXPECT_THAT(std::vector(rounds.begin() + static_cast<std::ptrdiff_t>(i),
                            rounds.begin() + static_cast<std::ptrdiff_t>(i) + 4),
                ElementsAre("default", "a=x", "a=x", "default"));
  }
}

TEST(Trials, WhatIsMuchSlowerHasFewRounds) {
  const auto found = trials_of({.seconds = by_name({{"a", 3}, {"b", 1.01}}), .names = {"a", "b"}})[0];
  ASSERT_EQ(found.entry.trials.size(), 2U);
  EXPECT_EQ(found.entry.trials[1].settings, named_setting("a"));
  EXPECT_EQ(found.entry.trials[1].rounds, 4);
  EXPECT_EQ(found.entry.trials[0].rounds, 12);
}

/// With a, rank 2 alone is slow: the others' times do not count.
TEST(Trials, TheSlowestRankCounts) {
  const auto all = trials_of({.ranks = 4,
                              .seconds =
                                  [](const io::Settings& settings, int rank, int) {
                                    if (settings.empty()) return 1e-3;
                                    return settings.contains("a") ? (rank == 2 ? 3e-3 : 0.1e-3) : 0.9e-3;
                                  },
                              .names = {"a", "b"}});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.order, all[0].order);
    EXPECT_EQ(found.entry.winner, named_setting("b"));
    EXPECT_EQ(found.open, 0);
  }
  EXPECT_NEAR(all[0].entry.trials.back().seconds.p50, 3e-3, 1e-9);
}

TEST(Trials, SettingsThatOneRankCannotSetUpAreLeftOutByName) {
  const auto all = trials_of({.ranks = 3,
                              .seconds = by_name({{"a", 0.5}, {"b", 0.9}}),
                              .names = {"a", "b"},
                              .set_up = [](const io::Settings& settings, int rank) {
                                if (rank == 1 && settings.contains("a")) throw ResourceError("no memory");
                              }});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.entry.winner, named_setting("b"));
    EXPECT_THAT(why_skipped(found.entry, "a=x"), HasSubstr("rank 1: no memory"));
  }
}

TEST(Trials, SettingsWhoseExchangeFailsOnOneRankAreLeftOutByName) {
  const auto all = trials_of({.ranks = 3,
                              .seconds =
                                  [](const io::Settings& settings, int rank, int sample) {
                                    if (rank == 2 && settings.contains("a") && sample == 2) throw ProtocolError("lost");
                                    return settings.empty() ? 1e-3 : 0.9e-3;
                                  },
                              .names = {"a", "b"}});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.entry.winner, named_setting("b"));
    EXPECT_THAT(why_skipped(found.entry, "a=x"), HasSubstr("rank 2: lost"));
  }
}

TEST(Trials, TheDefaultsOwnErrorEndsTrialsOnAllRanks) {
  int thrown = 0;
  std::mutex mutex;
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const bool fails = comm.rank() == rank_id(1);
    const Make make = [&](const io::Settings&) -> std::unique_ptr<Contestant> {
      if (fails) throw ResourceError("no memory");
      return nullptr;
    };
    const std::string what =
        test::error_of<ResourceError>([&] { return run_trials(comm, Clock::steady(), make, {}, 1s); });
    const std::lock_guard lock(mutex);
    thrown += what == "rank 1: no memory" ? 1 : 0;
  });
  EXPECT_EQ(thrown, 2);
}

TEST(Trials, NothingBeginsAfterTheBudget) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("s" + std::to_string(10 + i));
  const auto slow = [](const io::Settings& settings, int, int) { return settings.contains("s10") ? 0.09 : 0.1; };
  const auto all = trials_of({.ranks = 2, .seconds = slow, .names = names, .budget = 2s});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_LT(found.entry.trials.size(), 4U);
    EXPECT_EQ(found.entry.trials.size() + found.entry.skipped.size(), names.size());
    EXPECT_THAT(why_skipped(found.entry, "s49=x"), HasSubstr("the budget of 2 s was used up"));
    // Four rounds of two, and what was under way.
    EXPECT_LT(found.entry.spent, 2 + 0.9);
  }
  EXPECT_EQ(all[0].entry.winner, named_setting("s10"));
}

/// Where one exchange takes more than the budget, the default stays, and nothing is tried.
TEST(Trials, TheDefaultStaysWhereOneExchangeTakesTheBudget) {
  const auto found = trials_of({.seconds = [](const auto&, int, int) { return 5.0; }, .names = {"a"}})[0];
  EXPECT_EQ(found.entry.winner, io::Settings{});
  EXPECT_TRUE(found.entry.trials.empty());
  EXPECT_THAT(why_skipped(found.entry, "a=x"), HasSubstr("used up"));
}

/// Settings that are promising are set up twice: for their trial, and to be confirmed.
class SetUps {
 public:
  explicit SetUps(int ranks) : counts_(static_cast<std::size_t>(ranks)) {}
  /// The number of this one, from 1 on.
  int next(const io::Settings& settings, int rank) { return ++of(settings, rank); }
  int& of(const io::Settings& settings, int rank) {
    return counts_[static_cast<std::size_t>(rank)][io::text_of(settings)];
  }

 private:
  std::vector<std::map<std::string, int>> counts_;  ///< by rank, so that threads share none
};

/// a is the fastest, then b; both together are slow.
double alone_faster(const io::Settings& settings) {
  if (settings.size() != 1) return settings.empty() ? 1e-3 : 2e-3;
  return settings.contains("a") ? 0.5e-3 : 0.8e-3;
}

TEST(Trials, FinalistsThatCannotBeSetUpAgainAreLeftOutByName) {
  SetUps set_ups(2);
  const auto all = trials_of({.ranks = 2,
                              .seconds = [](const auto& settings, int, int) { return alone_faster(settings); },
                              .names = {"a", "b"},
                              .set_up =
                                  [&](const io::Settings& settings, int rank) {
                                    if (set_ups.next(settings, rank) == 2 && settings.contains("a") && rank == 1)
                                      throw ResourceError("no memory");
                                  }});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.entry.winner, named_setting("b"));
    EXPECT_EQ(why_skipped(found.entry, "a=x"), "rank 1: no memory");
  }
}

TEST(Trials, FinalistsWhoseFirstExchangeFailsAreLeftOutByName) {
  SetUps set_ups(2);
  const auto all = trials_of({.ranks = 2,
                              .seconds =
                                  [&](const io::Settings& settings, int rank, int sample) {
                                    const bool again = settings.size() == 1 && set_ups.of(settings, rank) == 2;
                                    if (again && settings.contains("a") && sample == 0 && rank == 1)
                                      throw ProtocolError("lost");
                                    return alone_faster(settings);
                                  },
                              .names = {"a", "b"},
                              .set_up = [&](const io::Settings& settings, int rank) { set_ups.next(settings, rank); }});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.entry.winner, named_setting("b"));
    EXPECT_EQ(why_skipped(found.entry, "a=x"), "rank 1: lost");
  }
}

/// What failed among several that take turns is not known: nothing is chosen.
TEST(Trials, TheDefaultStaysIfAFinalRoundFails) {
  SetUps set_ups(2);
  const auto all = trials_of({.ranks = 2,
                              .seconds =
                                  [&](const io::Settings& settings, int rank, int sample) {
                                    const bool again = settings.size() == 1 && set_ups.of(settings, rank) == 2;
                                    if (again && settings.contains("b") && sample == 3 && rank == 0)
                                      throw ProtocolError("lost");
                                    return alone_faster(settings);
                                  },
                              .names = {"a", "b"},
                              .set_up = [&](const io::Settings& settings, int rank) { set_ups.next(settings, rank); }});
  for (const Found& found : all) {
    EXPECT_EQ(found.entry, all[0].entry);
    EXPECT_EQ(found.entry.winner, io::Settings{});
    EXPECT_FALSE(found.entry.confirmed.has_value());
    EXPECT_EQ(why_skipped(found.entry, "a=x"), "rank 0: lost");
  }
}

/// No settings help against an error of the default, whenever it comes.
TEST(Trials, ALaterErrorOfTheDefaultEndsTrials) {
  const auto error_in_sample = [](int failing) {
    return test::error_of<ProtocolError>([=] {
      return trials_of({.ranks = 2,
                        .seconds =
                            [=](const io::Settings& settings, int rank, int sample) {
                              if (settings.empty() && sample == failing && rank == 1) throw ProtocolError("lost");
                              return settings.empty() ? 1e-3 : 0.5e-3;
                            },
                        .names = {"a"}});
    });
  };
  EXPECT_EQ(error_in_sample(3), "rank 1: lost") << "in the trial of a";
  EXPECT_EQ(error_in_sample(20), "rank 1: lost") << "in the final rounds";
  EXPECT_EQ(error_in_sample(1'000'000), "(no error)");
}

TEST(Trials, TheThreeFastestAloneAreConfirmed) {
  SetUps set_ups(1);
  const auto found =
      trials_of({.seconds =
                     [](const io::Settings& settings, int, int) {
                       if (settings.size() != 1) return settings.empty() ? 1e-3 : 2e-3;
                       return 1e-3 * (0.5 + 0.1 * (settings.begin()->first.front() - 'a'));
                     },
                 .names = {"d", "c", "b", "a"},
                 .set_up = [&](const io::Settings& settings, int rank) { set_ups.next(settings, rank); }})[0];
  EXPECT_EQ(found.entry.winner, named_setting("a"));
  for (const char* const name : {"a", "b", "c"}) EXPECT_EQ(set_ups.of(named_setting(name), 0), 2) << name;
  EXPECT_EQ(set_ups.of(named_setting("d"), 0), 1);
  EXPECT_EQ(found.open, 0);
}

/// Trials of a and b take the whole budget of 2 s: a was faster, but only in few rounds.
TEST(Trials, WhatThereIsNoTimeToConfirmIsNotChosen) {
  const auto slow = [](const io::Settings& settings, int, int) { return settings.contains("a") ? 0.11 : 0.12; };
  const auto found = trials_of({.seconds = slow, .names = {"a", "b"}, .budget = 2s})[0];
  ASSERT_EQ(found.entry.trials.size(), 2U);
  EXPECT_EQ(found.entry.winner, io::Settings{});
  EXPECT_EQ(why_skipped(found.entry, "a=x"), "the budget of 2 s was used up before it was confirmed");
  EXPECT_EQ(found.open, 0);
}

}  // namespace
}  // namespace halocline::tune

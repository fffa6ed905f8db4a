// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choice.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "halocline/error.hpp"
#include "support/effort.hpp"
#include "support/seeded.hpp"

namespace halocline::tune {
namespace {

io::TunedTrial trial_of(const io::Settings& settings, double median, double of_default, double spread = 0) {
  return {settings,
          7,
          {median - spread, median, median + spread},
          {of_default - spread, of_default, of_default + spread},
          {}};
}

TEST(Choice, QuantilesAreLinearBetweenNeighbours) {
  const io::Quantiles q = quantiles_of({5, 1, 2, 4, 3});
  EXPECT_EQ(q.p25, 2);
  EXPECT_EQ(q.p50, 3);
  EXPECT_EQ(q.p75, 4);
  EXPECT_THROW(static_cast<void>(quantiles_of({})), InvalidArgument);
}

TEST(Choice, TheDefaultStaysUnlessAnotherIsThreePercentFaster) {
  EXPECT_FALSE(is_better(trial_of({}, 0.9701, 1)));
  EXPECT_TRUE(is_better(trial_of({}, 0.9699, 1)));
  EXPECT_FALSE(is_better(trial_of({}, 1, 1)));
}

TEST(Choice, SlowRoundsOfTheDefaultAreNotEnough) {
  io::TunedTrial trial = trial_of({}, 0.9, 1);
  trial.of_default.p25 = 0.85;  // most of its rounds are as fast
  EXPECT_FALSE(is_better(trial));
}

TEST(Choice, SlowRoundsOfACandidateLeaveItPromising) {
  io::TunedTrial trial = trial_of({}, 1.2, 1);
  EXPECT_FALSE(is_promising(trial));
  trial.seconds.p25 = 0.9;
  EXPECT_TRUE(is_promising(trial));
  EXPECT_TRUE(is_promising(trial_of({}, 0.96, 1)));
  EXPECT_TRUE(is_before(trial, trial_of({}, 0.96, 1)));
  EXPECT_FALSE(is_better(trial));
}

TEST(Choice, FasterSettingsForDifferentOptionsGoTogether) {
  const std::vector<io::TunedTrial> trials{trial_of({{"a", "1"}}, 0.5, 1), trial_of({{"a", "2"}, {"b", "2"}}, 0.6, 1),
                                           trial_of({{"b", "3"}}, 0.7, 1), trial_of({{"c", "4"}}, 0.98, 1)};
  EXPECT_EQ(together(trials), (io::Settings{{"a", "1"}, {"b", "3"}}));
  EXPECT_EQ(together({}), io::Settings{});
}

/// For any times: who wins is 3 % faster than the default, nobody of those is faster, and nobody wins where nobody is.
TEST(Choice, AnyWinnerIsThreePercentFasterAndTheFastest) {
  test::Seeded random(7);
  for (int i = 0; i < test::some_of(2000); ++i) {
    std::vector<io::TunedTrial> trials;
    for (auto n = random.between(0, 5); n > 0; --n) {
      const auto time = [&] { return static_cast<double>(random.between(900, 1100)) / 1000; };
      trials.push_back(
          trial_of({{"n", std::to_string(n)}}, time(), time(), static_cast<double>(random.between(0, 50)) / 1000));
    }
    const io::TunedTrial* const winner = winner_of(trials);
    for (const io::TunedTrial& trial : trials) {
      const bool faster =
          trial.seconds.p50 <= (1 - least_gain) * trial.of_default.p50 && trial.seconds.p25 < trial.of_default.p25;
      if (faster) {
        ASSERT_NE(winner, nullptr);
        EXPECT_LE(winner->seconds.p50, trial.seconds.p50);
      }
    }
    if (winner != nullptr) {
      EXPECT_LE(winner->seconds.p50, (1 - least_gain) * winner->of_default.p50);
    }
  }
}

}  // namespace
}  // namespace halocline::tune

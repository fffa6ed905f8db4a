// SPDX-License-Identifier: BSD-3-Clause
#include "nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using cli::edit_distance;
using cli::nearest_name;

TEST(EditDistance, CountsLettersThatAreInsertedLeftOutReplacedOrSwapped) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("steps", "steps"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("step", "steps"), 1u);
  EXPECT_EQ(edit_distance("stteps", "steps"), 1u);
  EXPECT_EQ(edit_distance("stepz", "steps"), 1u);
  EXPECT_EQ(edit_distance("stpes", "steps"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u) << "letters that were swapped are not changed again";
}

TEST(EditDistance, IsTheSameBothWays) {
  const std::vector<std::string> words{"", "a", "steps", "stpes", "exchange", "exchagne", "halo", "steps_per_exchange"};
  for (const auto& one : words) {
    for (const auto& other : words) EXPECT_EQ(edit_distance(one, other), edit_distance(other, one));
  }
}

TEST(NearestName, IsAtMostAThirdOfTheLettersAway) {
  const std::vector<std::string> options{"--size", "--steps", "--steady", "--steps-per-exchange", "--o", "--seed"};
  EXPECT_EQ(nearest_name("--stpes", options), "--steps");
  EXPECT_EQ(nearest_name("--step", options), "--steps");
  EXPECT_EQ(nearest_name("-size", options), "--size") << "dashes do not count";
  EXPECT_EQ(nearest_name("--steps-per-exchagne", options), "--steps-per-exchange");
  EXPECT_EQ(nearest_name("--frobnicate", options), std::nullopt);
  EXPECT_EQ(nearest_name("--x", options), std::nullopt) << "nothing is left of --o";
  EXPECT_EQ(nearest_name("--", options), std::nullopt);
  EXPECT_EQ(nearest_name("", options), std::nullopt);
  EXPECT_EQ(nearest_name("--steps", {}), std::nullopt);
}

TEST(NearestName, IsTheFirstOfSeveralAsNear) {
  const std::vector<std::string> names{"place", "plate"};
  EXPECT_EQ(nearest_name("plaxe", names), "place");
}

TEST(NearestName, OrTheOnlyOneThatBeginsWithTheWord) {
  const std::vector<std::string> names{"--residual-every", "--devices", "--devices-per-rank"};
  EXPECT_EQ(nearest_name("--residual", names), "--residual-every");
  EXPECT_EQ(nearest_name("--dev", names), std::nullopt);
}

TEST(NearestName, NothingResemblesAVeryLongWord) {
  const std::vector<std::string> names{std::string(99'999, '8')};
  EXPECT_EQ(nearest_name(std::string(100'000, '8'), names), std::nullopt);
}

}  // namespace

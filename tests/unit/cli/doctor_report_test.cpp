// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "fold.hpp"

namespace {

using namespace cli::doctor;

/// A rank of a node that found one thing.
RankReport of_rank(int node, Finding finding) { return {node, node == 0 ? "a" : "b", {std::move(finding)}}; }

TEST(DoctorReport, RanksThatAgreeAreOneFinding) {
  const auto lines = merged({"x"}, {of_rank(0, works("1")), of_rank(0, works("1")), of_rank(1, works("1"))});
  ASSERT_EQ(lines.at(0).parts.size(), 1U);
  EXPECT_EQ(lines[0].parts[0].where, "");
  EXPECT_TRUE(all_works(lines));
}

TEST(DoctorReport, ADifferentNodeIsNamedAndTheWorstIsFirst) {
  const auto lines =
      merged({"x"}, {of_rank(0, works("1")), of_rank(1, broken("2", "f")), of_rank(1, broken("2", "f"))});
  ASSERT_EQ(lines.at(0).parts.size(), 2U);
  EXPECT_EQ(lines[0].parts[0].where, "node b");
  EXPECT_EQ(lines[0].parts[0].finding, broken("2", "f"));
  EXPECT_EQ(lines[0].parts[1].where, "node a");
  EXPECT_EQ(lines[0].status(), Status::broken);
  EXPECT_FALSE(all_works(lines));
}

TEST(DoctorReport, APartOfANodeIsNamedByItsRanks) {
  const auto lines =
      merged({"x"}, {of_rank(0, works("1")), of_rank(0, broken("2", "f")), of_rank(1, broken("2", "f"))});
  EXPECT_EQ(lines.at(0).parts.at(0).where, "ranks 1, 2");
  EXPECT_EQ(lines[0].parts.at(1).where, "rank 0");
}

TEST(DoctorReport, WhatSomeSkippedCountsAsTheOthersFoundIt) {
  auto lines = merged({"x"}, {of_rank(0, works("1")), of_rank(0, skipped("rank 0 does it"))});
  ASSERT_EQ(lines.at(0).parts.size(), 1U);
  EXPECT_EQ(lines[0].status(), Status::ok);
  lines = merged({"x"}, {of_rank(0, skipped("s")), of_rank(0, skipped("s"))});
  EXPECT_EQ(lines.at(0).status(), Status::skipped);
}

TEST(DoctorReport, AbsentPartsAreNoFailure) { EXPECT_TRUE(all_works(merged({"x"}, {of_rank(0, absent("1", "f"))}))); }

TEST(DoctorReport, TextFitsATerminalAndHasTheFix) {
  std::vector<RankReport> ranks;
  for (int rank = 0; rank < 40; ++rank)
    ranks.push_back(of_rank(rank % 2, broken(std::string(30, 'w') + " " + std::string(90, 'v'), "do this")));
  ranks[3].findings[0].seen = "one\nother\x1b[31m";
  const std::string text = report_text(merged({"shared memory"}, ranks));
  EXPECT_NE(text.find("fix      do this"), std::string::npos);
  EXPECT_NE(text.find("1 check: 0 ok, 1 no, 0 absent, 0 skipped"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(std::string(90, 'v')) == std::string::npos) {
      EXPECT_LE(cli::columns_of(line), cli::terminal_columns) << line;
    }
  }
}

}  // namespace

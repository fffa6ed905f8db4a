// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace {

using namespace cli;

TEST(Table, NumbersToTheRightTextToTheLeft) {
  Table table({"name", "bytes"});
  table.row({"a", "5 B"});
  table.row({"longer", "12.5 KB"});
  EXPECT_EQ(table.text(),
            "name      bytes\n"
            "------  -------\n"
            "a           5 B\n"
            "longer  12.5 KB\n");
}

TEST(Table, CountsWhatIsBeyondTheLimit) {
  Table table({"n"});
  for (int i = 0; i < 5; ++i) table.row({std::to_string(i)});
  table.limit(2);
  EXPECT_EQ(table.text(), "n\n-\n0\n1\n... and 3 more; --json has all\n");
}

TEST(Table, CountsWhatWasNeverMade) {
  Table table({"n"});
  for (int i = 0; i < 3; ++i) table.row({std::to_string(i)});
  table.leave_out(4);
  EXPECT_EQ(table.text(), "n\n-\n0\n1\n2\n... and 4 more; --json has all\n");
  table.limit(2);
  EXPECT_EQ(table.text(), "n\n-\n0\n1\n... and 5 more; --json has all\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({"a", "b"});
  EXPECT_THROW(table.row({"1"}), halocline::InternalError);
}

TEST(Table, AColumnHasOneUnit) {
  Table table({"bytes", "time", "rate"});
  table.row({bytes_cell(24'576), seconds_cell(28e-6), rate_cell(25e9)});
  table.row({bytes_cell(1'572'864), seconds_cell(0), rate_cell(450e6)});
  EXPECT_EQ(table.text(),
            "  bytes     time        rate\n"
            "-------  -------  ----------\n"
            "24.6 KB  28.0 us   25.0 GB/s\n"
            "1573 KB     0 us  0.450 GB/s\n");
}

TEST(Table, TheUnitSuitsTheLargestAmountAndTheSmallest) {
  const auto shown = [](std::int64_t small, std::int64_t large) {
    Table table({"b"});
    table.row({bytes_cell(small)});
    table.row({bytes_cell(large)});
    const std::string text = table.text();
    return text.substr(text.find("-\n") + 2);
  };
  EXPECT_EQ(shown(12, 999), " 12 B\n999 B\n");
  EXPECT_EQ(shown(250'000'000, 1'000'000'000), "0.250 GB\n 1.00 GB\n");
  EXPECT_EQ(shown(512'000'000, 1'010'000'000'000), "0.512 GB\n 1010 GB\n");
  EXPECT_EQ(shown(12, 5'000'000'000), "0.000012 MB\n    5000 MB\n") << "five digits at most";
}

TEST(Table, MayHaveOneUnitForAllColumns) {
  Table table({"min", "max"});
  table.row({seconds_cell(101e-6), seconds_cell(2.6e-3)});
  EXPECT_NE(table.text().find("101 us  2.60 ms"), std::string::npos);
  table.same_units();
  EXPECT_NE(table.text().find("0.101 ms  2.60 ms"), std::string::npos);
}

TEST(Table, TextInTheLastColumnGoesOnBelowItself) {
  Table table({"from", "reason"});
  const std::string words =
      "these words are as long as a line of the terminal may be together with what is before them";
  table.row({"0", words + ", and so"});
  EXPECT_EQ(table.text(), "from  reason\n----  " + std::string(94, '-') + "\n   0  " + words + ",\n      and so\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({"a", "b"});
  table.row({"\xc3\xa4", "x"});
  EXPECT_EQ(table.text(), "a  b\n-  -\n\xc3\xa4  x\n");
}

TEST(Units, ThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.00 KB");
  EXPECT_EQ(bytes_text(999'950), "1.00 MB");
  EXPECT_EQ(bytes_text(76'400'000), "76.4 MB");
  EXPECT_EQ(seconds_text(1.526e-3), "1.53 ms");
  EXPECT_EQ(seconds_text(28e-6), "28.0 us");
  EXPECT_EQ(seconds_text(125.4), "125 s");
  EXPECT_EQ(count_text(4.123e8), "412 million");
  EXPECT_EQ(count_text(1.3e9), "1.30 billion");
  EXPECT_EQ(count_text(12), "12");
  EXPECT_EQ(share_text(1, 8), "12.5 %");
  EXPECT_EQ(share_text(0, 0), "-");
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(0, "rank"), "0 ranks");
}

}  // namespace

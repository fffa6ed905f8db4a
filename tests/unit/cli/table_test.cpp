#include "table.hpp"

#include <gtest/gtest.h>

#include "halocline/core/error.hpp"

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

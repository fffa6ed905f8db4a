// SPDX-License-Identifier: BSD-3-Clause
#include "fold.hpp"

#include <gtest/gtest.h>

namespace {

using cli::columns_of;
using cli::folded;

TEST(Folded, LeavesWhatFits) {
  EXPECT_EQ(folded("", 10), "");
  EXPECT_EQ(folded("0123456789\n\n  a  b\n", 10), "0123456789\n\n  a  b\n");
  EXPECT_EQ(folded("no newline", 10), "no newline");
}

TEST(Folded, BreaksAtSpacesAndIndentsByTwo) {
  EXPECT_EQ(folded("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(folded("  one two three\n", 14), "  one two\n    three\n");
}

TEST(Folded, GoesOnBelowTheLastColumn) {
  EXPECT_EQ(folded("a  1 KB  because of this and that\n", 20),
            "a  1 KB  because of\n         this and\n         that\n");
  EXPECT_EQ(folded("          --name and its long meaning\n", 20),
            "          --name and\n          its long\n          meaning\n")
      << "what begins far to the right goes on there";
}

TEST(Folded, OnlyTheFirstHalfOfALineHoldsColumns) {
  EXPECT_EQ(folded("a sentence, that has  two spaces\n", 24), "a sentence, that has\n  two spaces\n");
}

TEST(Folded, KeepsALongWordWhole) {
  EXPECT_EQ(folded("see /a/very/long/path/to here\n", 10), "see\n  /a/very/long/path/to\n  here\n");
}

TEST(Folded, DropsSpacesAtTheEndOfALine) { EXPECT_EQ(folded("a   \nb", 10), "a\nb"); }

TEST(Columns, AreCharacters) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("\xc3\xa4\xe2\x82\xac"), 2u);
}

}  // namespace

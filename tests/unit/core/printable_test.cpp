// SPDX-License-Identifier: BSD-3-Clause
#include "core/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace halocline {
namespace {

using namespace std::string_view_literals;

TEST(Printable, PlainTextIsKept) {
  for (const auto text : {""sv, "--size is 'x'; allowed is 1"sv,
                          "Gr\xc3\xb6\xc3\x9f"
                          "e \xe2\x82\xac \xf0\x9f\x98\x80"sv,
                          "C:\\path"sv}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, LineBreaksAndTabsBecomeSpaces) { EXPECT_EQ(printable("a\nb\tc\n"), "a b c "); }

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\0b\x7f\r"sv), "a\\x00b\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b") << "CSI as one character";
}

TEST(Printable, CharactersThatReorderOrHideAreEscaped) {
  EXPECT_EQ(printable("x\xe2\x80\xaey"), "x\\u202ey");
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\u2066");
  EXPECT_EQ(printable("\xe2\x80\x8b"), "\\u200b");
  EXPECT_EQ(printable("\xd8\x9c"), "\\u061c");
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\ufeff");
}

TEST(Printable, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(printable("s\xff.json"), "s\\xff.json");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last code point";
  EXPECT_EQ(printable("a\xe2\x82"), "a\\xe2\\x82") << "cut off";
}

TEST(Printable, TheMiddleOfLongTextIsLeftOut) {
  const std::string text = "begin " + std::string(1 << 20, 'x') + " end";
  const std::string line = printable(text, 200);
  EXPECT_LT(line.size(), 240U);
  EXPECT_TRUE(line.starts_with("begin xxx")) << line;
  EXPECT_TRUE(line.ends_with("xxx end")) << line;
  EXPECT_NE(line.find("bytes left out"), std::string::npos);
  EXPECT_EQ(printable(std::string(200, 'x'), 200), std::string(200, 'x'));
}

TEST(Printable, OneCharacterThatIsTooLongIsLeftOutAsAWhole) {
  for (const std::size_t most : {0U, 1U, 2U}) {
    EXPECT_EQ(printable("\xe2\x82\xac", most), "... (3 bytes left out) ...") << most;
  }
}

TEST(Printable, NoCharacterIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xe2\x82\xac";
  for (std::size_t most = 10; most < 20; ++most) {
    const std::string line = printable(text, most);
    EXPECT_EQ(printable(line), line) << most;
  }
}

}  // namespace
}  // namespace halocline

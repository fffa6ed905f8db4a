// SPDX-License-Identifier: BSD-3-Clause
#include "core/utf8.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace halocline {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, FindsTheFirstByteThatIsNone) {
  for (const auto text :
       {""sv, "plain"sv, "\0"sv, "\xc3\xb6"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x98\x80"sv, "\xed\x9f\xbf"sv})
    EXPECT_EQ(find_no_utf8(text), std::string_view::npos) << text;
  EXPECT_EQ(find_no_utf8("ab\xff"sv), 2u);
  EXPECT_EQ(find_no_utf8("\xc3\xb6\xc3"sv), 2u) << "cut off";
  for (const auto text :
       {"\xc0\xaf"sv, "\xe0\x80\xaf"sv, "\xf0\x80\x80\x80"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\x80"sv})
    EXPECT_EQ(find_no_utf8(text), 0u) << "overlong, surrogates, beyond Unicode, continuation alone";
}

}  // namespace
}  // namespace halocline

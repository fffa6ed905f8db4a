// SPDX-License-Identifier: BSD-3-Clause
#include "io/json_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

using testing::HasSubstr;

TEST(Json, ListsOfPairsAreObjectsAndOthersAreArrays) {
  EXPECT_EQ((Json{{"b", 1}, {"a", {1, 2}}}).dump(), R"({"b":1,"a":[1,2]})");
  EXPECT_EQ((Json{{"b", 1}}).dump(), R"({"b":1})");
  EXPECT_EQ((Json{"b", 1}).dump(), R"(["b",1])");
  EXPECT_EQ(Json::array({"b", 1}).dump(), R"(["b",1])");
  EXPECT_EQ(Json::array({{"b", 1}}).dump(), R"([["b",1]])");
  EXPECT_EQ(Json::array().dump(), "[]");
  EXPECT_EQ(Json::object().dump(), "{}");
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(), R"(["x","y"])");
}

TEST(Json, NumbersAreWrittenAsTheyAreReadAgain) {
  EXPECT_EQ(Json::array({1.0, 0.1, 1e-6, 1e300, -3, std::numeric_limits<std::uint64_t>::max(), true, nullptr}).dump(),
            "[1.0,0.1,1e-06,1e+300,-3,18446744073709551615,true,null]");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  for (const char* text : {"1.0", "0.1", "1e-06", "-3", "18446744073709551615", "-0.0", "1e+300"})
    EXPECT_EQ(parse_document(text).dump(), text);
}

TEST(Json, EqualNumbersAreEqualWhateverTheirType) {
  EXPECT_EQ(Json(7u), Json(7));
  EXPECT_EQ(Json(std::size_t{7}), parse_document("7"));
  EXPECT_NE(Json(7), Json(8));
  EXPECT_NE(Json(7), Json("7"));
  EXPECT_EQ((Json{{"a", 1}}), parse_document(R"({"a": 1})"));
  EXPECT_NE((Json{{"a", 1}, {"b", 2}}), (Json{{"b", 2}, {"a", 1}}));
}

TEST(Json, MembersStayInTheOrderOfAddingAndAreReplaced) {
  Json made;
  made["z"] = 1;
  made["a"]["within"] = "x";
  made["z"] = 2;
  made["list"].push_back(3);
  made.update({{"a", nullptr}, {"new", true}});
  EXPECT_EQ(made.dump(), R"({"z":2,"a":null,"list":[3],"new":true})");
  EXPECT_EQ(made.find("none"), nullptr);
  EXPECT_EQ(Json(3).find("z"), nullptr);
  EXPECT_THROW(made["z"]["within"] = 1, InternalError);
  EXPECT_THROW(made["z"].push_back(1), InternalError);
}

TEST(Json, LevelsAreIndented) {
  EXPECT_EQ((Json{{"a", Json::array({1, Json::array()})}, {"b", Json::object()}}).indented(),
            "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {}\n}");
}

TEST(Json, TextsThatAreNotUtf8AreRefusedOrReplaced) {
  EXPECT_EQ(Json("a\"\n\xc3\xa9").dump(), "\"a\\\"\\n\xc3\xa9\"");
  EXPECT_EQ(Json("u\xff").dump(Json::Utf8::replaced), "\"u\xef\xbf\xbd\"");
  EXPECT_THAT(test::error_of<InvalidArgument>([] {
                static_cast<void>(Json{{"u\xff", 1}}.dump());
              }),
              HasSubstr("not UTF-8"));
}

TEST(Json, TextsThatAreNoDocumentAreRefusedWithThePlace) {
  for (const char* text : {"", "[1", "{\"a\" 1}", "[1] 2", "nul"}) {
    EXPECT_THAT(test::error_of<InvalidArgument>([&] { static_cast<void>(parse_document(text)); }),
                HasSubstr("the document is no JSON: "))
        << text;
    EXPECT_TRUE(parse_document_or_null(text).is_null());
  }
}

}  // namespace
}  // namespace halocline::io

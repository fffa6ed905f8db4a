#include <gtest/gtest.h>

#include <limits>

#include "halocline/core/error.hpp"
#include "halocline/io/json.hpp"

namespace halocline::io {
namespace {

TEST(JsonObject, KeepsTheOrderAndEscapes) {
  JsonObject object("halocline-test/1");
  object.text("z", "a \"quoted\"\nline").integer("a", -3).number("half", 0.5).flag("on", true);
  EXPECT_EQ(object.str(),
            R"({"schema": "halocline-test/1", "z": "a \"quoted\"\nline", "a": -3, "half": 0.5, "on": true})");
  EXPECT_EQ(JsonObject().str(), "{}");
}

TEST(JsonObject, NumbersThatJsonHasNotAreNull) {
  JsonObject object;
  object.number("i", std::numeric_limits<double>::infinity()).number("n", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(object.str(), R"({"i": null, "n": null})");
}

TEST(JsonObject, NestsDocuments) {
  JsonObject inner;
  inner.integer("x", 1);
  const std::vector<std::string> items{inner.str(), "2", "[3, 4]"};
  JsonObject outer;
  outer.json("items", json_array(items)).json("nothing", "null");
  EXPECT_EQ(outer.str(), "{\n  \"items\": [\n    {\"x\": 1},\n    2,\n    [3, 4]\n  ],\n  \"nothing\": null\n}");
  EXPECT_EQ(json_array({}), "[]");
}

TEST(JsonObject, MistakesOfTheProgramAreInternalErrors) {
  JsonObject object;
  object.integer("a", 1);
  EXPECT_THROW(object.integer("a", 2), InternalError);
  EXPECT_THROW(object.json("b", "{"), InternalError);
  EXPECT_THROW(static_cast<void>(json_array(std::vector<std::string>{"1", "x"})), InternalError);
}

TEST(JsonObject, Moves) {
  JsonObject first;
  first.integer("a", 1);
  JsonObject second = std::move(first);
  EXPECT_EQ(second.str(), R"({"a": 1})");
}

}  // namespace
}  // namespace halocline::io

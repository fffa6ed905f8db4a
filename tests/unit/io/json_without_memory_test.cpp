// SPDX-License-Identifier: BSD-3-Clause
// Documents that are read, copied and written where memory runs out, and are destroyed while there is none.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "io/json_value.hpp"
#include "support/few_allocations.hpp"

namespace halocline::io {
namespace {

const std::string text = R"({"a": [1, [2, {"long enough to be allocated": ["another text that is allocated", null]}]],
                             "b": {"c": {"d": [[], {}, true, 1.5]}}})";

TEST(JsonWithoutMemory, EndsWithAnErrorAndNotTheProcess) {
  int failed = 0;
  std::optional<std::string> written;
  while (!written && failed < 10000) {
    test::allocations_left = failed;
    try {
      Json document = parse_document(text);
      const Json copy = document;
      document["e"] = {{"first", copy}, {"second", Json::array({copy, "a text that is long enough"})}};
      written = document.dump();
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    test::allocations_left = -1;
  }
  EXPECT_GT(failed, 50);
  ASSERT_TRUE(written);
  EXPECT_EQ(parse_document(*written).dump(), *written);
}

TEST(JsonWithoutMemory, IsDestroyed) {
  std::optional<Json> document = parse_document(text);
  test::allocations_left = 0;
  document.reset();
  test::allocations_left = -1;
}

}  // namespace
}  // namespace halocline::io

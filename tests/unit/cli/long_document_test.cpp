// SPDX-License-Identifier: BSD-3-Clause
#include "long_document.hpp"

#include <gtest/gtest.h>

namespace {

using namespace cli;

TEST(LongDocument, ReadsAsIfItWereWrittenWhole) {
  for (const std::size_t size : {0u, 1u, 3u}) {
    Json document{{"first", {{"a", 1}, {"empty", Json::array()}}}, {"list", nullptr}, {"last\"", "two\nlines"}};
    const auto element = [](std::size_t i) {
      return Json{{"i", i}, {"of", Json::array({i, "x\ny"})}, {"none", Json::object()}};
    };
    std::string written;
    write_document(document, {"list", size, element}, [&](std::string_view text) { written += text; });
    document["list"] = Json::array();
    for (std::size_t i = 0; i < size; ++i) document["list"].push_back(element(i));
    EXPECT_EQ(written, document.indented());
  }
}

}  // namespace

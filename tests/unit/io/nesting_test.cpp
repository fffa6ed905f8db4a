// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "halocline/error.hpp"
#include "io/json.hpp"
#include "io/manifest.hpp"
#include "support/error_of.hpp"

namespace halocline::io {
namespace {

using testing::HasSubstr;

/// Deeper than a stack of 8 MiB has room for, at a function call each.
constexpr std::size_t very_deep = 200'000;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Nesting, DeepDocumentsAreRefused) {
  for (const std::size_t depth : {std::size_t{64}, very_deep}) {
    const std::string manifest = "{\"checkpoint\": " + nested(depth) + ", \"xxh3\": \"0123456789abcdef\"}";
    EXPECT_EQ(test::error_of<InvalidArgument>([&] { static_cast<void>(manifest_from(manifest, "FILE")); }),
              "checkpoint manifest 'FILE': the document has values nested more than 64 deep; allowed is at most 64");
    EXPECT_THAT(test::error_of<InvalidArgument>(
                    [&] { static_cast<void>(machine_from_json("{\"schema\": " + nested(depth) + "}")); }),
                HasSubstr("the document has values nested more than 64 deep"));
  }
  EXPECT_THAT(test::error_of<InvalidArgument>(
                  [&] { static_cast<void>(machine_from_json("{\"schema\": " + nested(63) + "}")); }),
              HasSubstr("schema is an array of 1; allowed is a text"));
}

}  // namespace
}  // namespace halocline::io

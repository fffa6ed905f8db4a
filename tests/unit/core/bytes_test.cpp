// SPDX-License-Identifier: BSD-3-Clause
#include "core/bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace halocline {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string memory() { return "memory for u"; }

std::string refusal(Bytes bytes, std::int64_t allowed = most) {
  return test::error_of<InvalidArgument>([&] { return bytes.value(memory, allowed); });
}

TEST(Bytes, count_up_to_63_bits) {
  EXPECT_EQ(Bytes().value(memory), 0);
  EXPECT_EQ((Bytes(most - 1) + 1).value(memory), most);
  EXPECT_EQ((Bytes(most / 2) * 2 + 1).value(memory), most);
  EXPECT_EQ((Bytes(std::int64_t{1} << 31) * (std::int64_t{1} << 31)).value(memory), std::int64_t{1} << 62);
}

TEST(Bytes, name_what_has_more) {
  const std::string text = "memory for u is 2^63 or more bytes; allowed is at most 9223372036854775807";
  EXPECT_EQ(refusal(Bytes(most) + 1), text);
  EXPECT_EQ(refusal(Bytes(std::int64_t{1} << 32) * (std::int64_t{1} << 31)), text);
  EXPECT_EQ(refusal(Bytes(most).aligned_to(2)), text);
}

TEST(Bytes, remember_that_they_were_too_many) {
  Bytes bytes(most);
  bytes *= 4;
  EXPECT_FALSE(bytes.at_most(most));
  EXPECT_FALSE((Bytes(8) + bytes).at_most(most));
  EXPECT_FALSE((Bytes(8) *= bytes).at_most(most));
  EXPECT_FALSE(bytes.aligned_to(128).at_most(most));
  EXPECT_FALSE((bytes * 0).at_most(most));
}

TEST(Bytes, may_have_another_limit) {
  EXPECT_EQ(Bytes(100).value(memory, 100), 100);
  EXPECT_EQ(refusal(Bytes(101), 100), "memory for u is 101 bytes; allowed is at most 100");
  EXPECT_EQ(refusal(Bytes(most) * 2, 100), "memory for u is 2^63 or more bytes; allowed is at most 100");
}

TEST(Bytes, are_aligned_upwards) {
  EXPECT_EQ(Bytes(0).aligned_to(128).value(memory), 0);
  EXPECT_EQ(Bytes(1).aligned_to(128).value(memory), 128);
  EXPECT_EQ(Bytes(128).aligned_to(128).value(memory), 128);
  EXPECT_EQ(Bytes(129).aligned_to(3).value(memory), 129);
}

TEST(Bytes, are_computed_without_a_text) {
  const auto never = []() -> std::string { throw InternalError("asked for a name"); };
  EXPECT_EQ(Bytes(1).value(never), 1);
}

}  // namespace
}  // namespace halocline

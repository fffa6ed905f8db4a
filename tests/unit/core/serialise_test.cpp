// SPDX-License-Identifier: BSD-3-Clause
#include "core/serialise.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "halocline/error.hpp"
#include "support/error_of.hpp"

namespace halocline::serialise_test {
namespace {

struct Point {
  int x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Record {
  std::string name;
  std::vector<Point> points;
  std::map<int, std::string> texts;
  std::variant<int, std::string, Point> choice;
  friend bool operator==(const Record&, const Record&) = default;
};

auto members(MaybeConst<Record> auto& record) {
  return std::tie(record.name, record.points, record.texts, record.choice);
}

const Record record{"name", {{1, 2.5}, {-3, 1e300}}, {{7, "seven"}, {-1, ""}}, "text"};

template <typename T>
std::string refusal(std::span<const std::byte> bytes) {
  return test::error_of<InternalError>([&] { return from_bytes<T>(bytes); });
}

TEST(Serialise, structures_come_back_the_same) {
  EXPECT_EQ(from_bytes<Record>(to_bytes(record)), record);
  EXPECT_EQ(from_bytes<Record>(to_bytes(Record{})), Record{});
  const std::vector<std::pair<Record, bool>> pairs{{record, true}, {{}, false}};
  EXPECT_EQ((from_bytes<std::vector<std::pair<Record, bool>>>(to_bytes(pairs))), pairs);
}

TEST(Serialise, texts_are_copied_not_pointed_to) {
  EXPECT_EQ(from_bytes<std::string>(to_bytes(std::string_view("a\0b", 3))), std::string("a\0b", 3));
}

TEST(Serialise, values_are_read_in_the_order_of_writing) {
  ByteWriter out;
  out.put(5);
  out.put(std::string("text"));
  out.put(Point{1, 2});
  const auto bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.get<int>(), 5);
  EXPECT_EQ(in.get<std::string>(), "text");
  EXPECT_FALSE(in.empty());
  EXPECT_EQ(in.get<Point>(), (Point{1, 2}));
  EXPECT_TRUE(in.empty());
}

TEST(Serialise, messages_of_another_length_are_refused) {
  auto bytes = to_bytes(record);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(refusal<Record>(std::span(bytes).first(length)),
              "a message between ranks ends early: ranks of different builds in one job?");
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(refusal<Record>(bytes),
            "a message between ranks has bytes left over: ranks of different builds in one job?");
}

TEST(Serialise, counts_beyond_the_message_are_refused) {
  const std::string early = "a message between ranks ends early: ranks of different builds in one job?";
  for (const std::uint64_t count : {UINT64_C(1), UINT64_C(1) << 61, UINT64_MAX}) {
    const auto bytes = to_bytes(count);
    EXPECT_EQ(refusal<std::string>(bytes), early);
    EXPECT_EQ(refusal<std::vector<double>>(bytes), early);
    EXPECT_EQ(refusal<std::vector<std::string>>(bytes), early);
    EXPECT_EQ((refusal<std::map<int, int>>(bytes)), early);
  }
}

TEST(Serialise, unknown_alternatives_are_refused) {
  EXPECT_EQ((refusal<std::variant<int, std::string>>(to_bytes(UINT64_C(2)))),
            "a message between ranks has an unknown alternative: ranks of different builds in one job?");
}

}  // namespace
}  // namespace halocline::serialise_test

// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/box.hpp"

#include <gtest/gtest.h>

#include "core/checked.hpp"
#include "core/hash.hpp"

namespace halocline {
namespace {

TEST(Vec3, orders_x_first_and_indexes_by_dimension) {
  const Vec3 v{1, 2, 3};
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[Dim::z], 3);
  EXPECT_LT((Vec3{1, 9, 9}), (Vec3{2, 0, 0}));
  EXPECT_EQ(to_string(Vec3{1440, 1452, 700}), "1440 x 1452 x 700");
}

TEST(Vec3, volume_of_input_is_checked) {
  EXPECT_EQ(checked_volume({1 << 20, 1 << 20, 1 << 20}), std::int64_t{1} << 60);
  EXPECT_THROW(static_cast<void>(checked_volume({std::int64_t{1} << 31, std::int64_t{1} << 31, 2})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(checked_volume({1, -1, 1})), InvalidArgument);
}

TEST(Box, is_half_open) {
  const Box box{{1, 2, 3}, {4, 4, 4}};
  EXPECT_EQ(box.volume(), 6);
  EXPECT_TRUE(box.contains(Vec3{1, 2, 3}));
  EXPECT_FALSE(box.contains(Vec3{4, 2, 3}));
  EXPECT_TRUE(box.contains(Box{{9, 9, 9}, {9, 9, 9}})) << "an empty box is inside every box";
  EXPECT_EQ((Box{{3, 3, 3}, {2, 9, 9}}).volume(), 0);
  EXPECT_EQ(box.intersection({{0, 0, 0}, {2, 3, 9}}), (Box{{1, 2, 3}, {2, 3, 4}}));
  EXPECT_FALSE(box.overlaps({{4, 0, 0}, {9, 9, 9}}));
  EXPECT_EQ(box.grown({1, 0, 0}, {0, 0, 2}), (Box{{0, 2, 3}, {4, 4, 6}}));
}

TEST(Box, cells_are_visited_once_x_fastest) {
  std::vector<Vec3> seen;
  for_each_cell(Box{{0, 0, 0}, {2, 1, 2}}, [&](const Vec3& p) { seen.push_back(p); });
  EXPECT_EQ(seen, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}}));
}

TEST(CheckedCast, names_what_does_not_fit) {
  EXPECT_EQ((checked_cast<int>(std::int64_t{7}, "count")), 7);
  try {
    static_cast<void>(checked_cast<int>(std::int64_t{1} << 31, "bytes of a message"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "bytes of a message is 2147483648; allowed is -2147483648 to 2147483647");
  }
}

// Test vectors of draft-eastlake-fnv: the value must be the same on every machine.
TEST(Hash, is_fnv_1a) {
  const char a = 'a';
  EXPECT_EQ(Hash().value(), 0xcbf29ce484222325u);
  EXPECT_EQ(Hash().add(std::as_bytes(std::span(&a, 1))).value(), 0xaf63dc4c8601ec8cu);
}

}  // namespace
}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "partition/partition.hpp"

#include <gtest/gtest.h>

#include "halocline/error.hpp"

namespace halocline::partition {
namespace {

Partition two_by_two(Order order) { return {{8, 6, 4}, {2, 1, 1}, {1, 2, 1}, {{{0, 3, 8}, {0, 2, 6}, {0, 4}}}, order}; }

TEST(Partition, NumbersNodeByNode) {
  const Partition p = two_by_two(Order::row_major);
  EXPECT_EQ(p.size(), 4);
  EXPECT_EQ(p.index_of(subdomain_id(0)), (Vec3{0, 0, 0}));
  EXPECT_EQ(p.index_of(subdomain_id(1)), (Vec3{0, 1, 0}));
  EXPECT_EQ(p.index_of(subdomain_id(2)), (Vec3{1, 0, 0}));
  EXPECT_EQ(p.node_part_of(subdomain_id(1)), 0);
  EXPECT_EQ(p.node_part_of(subdomain_id(2)), 1);
  EXPECT_EQ(p.box_of(subdomain_id(3)), (Box{{3, 2, 0}, {8, 6, 4}}));
}

TEST(Partition, IndicesGoBackAndForth) {
  for (const Order order : {Order::row_major, Order::z_order}) {
    const Partition p({30, 30, 30}, {2, 3, 1}, {3, 1, 2}, {{{0, 4, 9, 15, 20, 25, 30}, {0, 10, 20, 30}, {0, 1, 30}}},
                      order);
    std::int64_t cells = 0;
    for (std::int64_t s = 0; s < p.size(); ++s) {
      EXPECT_EQ(p.at(p.index_of(subdomain_id(s))), subdomain_id(s));
      cells += p.box_of(subdomain_id(s)).volume();
    }
    EXPECT_EQ(cells, 27000);
  }
}

TEST(Partition, RefusesWhatDoesNotFitTogether) {
  const auto make = [](std::vector<std::int64_t> cuts) {
    return Partition({8, 6, 4}, {2, 1, 1}, {1, 1, 1}, {{std::move(cuts), {0, 6}, {0, 4}}}, Order::row_major);
  };
  EXPECT_NO_THROW((void)make({0, 3, 8}));
  EXPECT_THROW((void)make({0, 8}), InvalidArgument);
  EXPECT_THROW((void)make({0, 3, 7}), InvalidArgument);
  EXPECT_THROW((void)make({1, 3, 8}), InvalidArgument);
  EXPECT_THROW((void)make({0, 0, 8}), InvalidArgument);
  EXPECT_THROW((void)make({}), InvalidArgument);
  EXPECT_THROW((void)Partition({8, 6, 4}, {0, 1, 1}, {1, 1, 1}, {}, Order::row_major), InvalidArgument);
  const Partition p = make({0, 3, 8});
  EXPECT_THROW((void)p.index_of(subdomain_id(2)), InvalidArgument);
  EXPECT_THROW((void)p.index_of(subdomain_id()), InvalidArgument);
  EXPECT_THROW((void)p.at({2, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)p.at({0, -1, 0}), InvalidArgument);
}

}  // namespace
}  // namespace halocline::partition

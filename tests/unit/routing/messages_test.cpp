// SPDX-License-Identifier: BSD-3-Clause
// Which messages share a bundle, and which ranks call MPI for it.
#include <gtest/gtest.h>

#include <vector>

#include "routing/messages.hpp"

namespace halocline::routing {
namespace {

placement::Slot slot_on(std::int64_t rank, std::int64_t node) { return {rank_id(rank), node_id(node), device_id(0), 0}; }

TEST(BundleOf, PairsRanksWithinANodeAndNodesBetweenThem) {
  const auto near = slot_on(1, 0);
  const auto beside = slot_on(2, 0);
  const auto far = slot_on(5, 1);
  const auto farther = slot_on(6, 1);
  const auto key = [](Messages messages, const placement::Slot& from, const placement::Slot& to) {
    return bundle_of(messages, Transport::mpi_staged, from, to);
  };
  EXPECT_EQ(key(Messages::by_node, near, far), (BundleKey{BundleKey::Ends::nodes, 0, 1}));
  EXPECT_EQ(key(Messages::by_node, near, far), key(Messages::by_node, beside, farther));
  EXPECT_NE(key(Messages::by_node, near, far), key(Messages::by_node, far, near));
  EXPECT_EQ(key(Messages::by_node, near, beside), (BundleKey{BundleKey::Ends::ranks, 1, 2}));
  EXPECT_EQ(key(Messages::by_rank, near, far), (BundleKey{BundleKey::Ends::ranks, 1, 5}));
  for (const auto messages : {Messages::by_neighbour, Messages::by_direction}) EXPECT_FALSE(key(messages, near, far));
  EXPECT_FALSE(bundle_of(Messages::by_node, Transport::mpi_device, near, far));
  EXPECT_FALSE(bundle_of(Messages::by_rank, Transport::direct, near, beside));
}

TEST(Leader, IsAnotherRankForTheNextBundleAndForReceiving) {
  const std::vector<rank_id> ranks{rank_id(4), rank_id(5), rank_id(7)};
  EXPECT_EQ(leader(ranks, 0, true), rank_id(4));
  EXPECT_EQ(leader(ranks, 1, true), rank_id(5));
  EXPECT_EQ(leader(ranks, 3, true), rank_id(4));
  for (const std::size_t nth : {0u, 1u, 2u}) EXPECT_NE(leader(ranks, nth, false), leader(ranks, nth, true));
  const std::vector<rank_id> one{rank_id(4)};
  EXPECT_EQ(leader(one, 2, false), rank_id(4));
}

}  // namespace
}  // namespace halocline::routing

// SPDX-License-Identifier: BSD-3-Clause
// How exchanges of several domains share a GPU: the reserved blocks never exceed the device's.
#include "device/cuda/room_ledger.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace halocline::device::cuda {
namespace {

constexpr int all_blocks = 528;  // of a GPU of 132 multiprocessors, four blocks each

TEST(RoomLedger, GivesAsManyPartsAsThereAre) {
  for (const int parts : {2, 3, 4, 5, 7}) {
    RoomLedger ledger;
    for (int i = 0; i < parts; ++i) EXPECT_TRUE(ledger.take(0, all_blocks, all_blocks / parts)) << i << " of " << parts;
    EXPECT_EQ(ledger.holders(0), parts);
    EXPECT_FALSE(ledger.take(0, all_blocks, all_blocks / parts));
    EXPECT_EQ(ledger.holders(0), parts) << "what was not given is not counted";
    EXPECT_TRUE(ledger.take(1, all_blocks, all_blocks / parts)) << "another GPU";
    ledger.give_back(0, all_blocks / parts);
    EXPECT_TRUE(ledger.take(0, all_blocks, all_blocks / parts));
  }
}

TEST(RoomLedger, GivesUnequalPartsAsLongAsTheyFit) {
  RoomLedger ledger;
  EXPECT_TRUE(ledger.take(0, all_blocks, all_blocks / 2));
  EXPECT_TRUE(ledger.take(0, all_blocks, all_blocks / 4));
  EXPECT_FALSE(ledger.take(0, all_blocks, all_blocks / 2));
  EXPECT_TRUE(ledger.take(0, all_blocks, 64));
}

TEST(RoomLedger, GivesNoLessThanAnExchangeNeeds) {
  RoomLedger ledger;
  EXPECT_FALSE(ledger.take(0, all_blocks, RoomLedger::least_blocks - 1));
  EXPECT_TRUE(ledger.take(0, all_blocks, RoomLedger::least_blocks));
}

TEST(RoomLedger, CountsExchangesWithoutBlocks) {
  RoomLedger ledger;
  ledger.join(0);
  EXPECT_EQ(ledger.holders(0), 1);
  EXPECT_TRUE(ledger.take(0, all_blocks, all_blocks));
  EXPECT_EQ(ledger.holders(0), 2);
  ledger.give_back(0, 0);
  EXPECT_EQ(ledger.holders(0), 1);
}

TEST(RoomLedger, NeverPromisesMoreThanThereIs) {
  std::mt19937 random(1);
  RoomLedger ledger;
  std::vector<int> held;
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const int blocks = static_cast<int>(random() % all_blocks) + 1;
    if (!held.empty() && random() % 2 == 0) {
      const std::size_t which = random() % held.size();
      ledger.give_back(0, held[which]);
      taken -= held[which];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (ledger.take(0, all_blocks, blocks)) {
      held.push_back(blocks);
      taken += blocks;
    }
    ASSERT_LE(taken, all_blocks);
    ASSERT_EQ(ledger.holders(0), static_cast<int>(held.size()));
  }
}

}  // namespace
}  // namespace halocline::device::cuda

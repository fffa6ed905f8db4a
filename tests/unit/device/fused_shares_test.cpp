// SPDX-License-Identifier: BSD-3-Clause
// How the tiles of an exchange are assigned to blocks, checked against the requirements of the kernel.
#include "device/cuda/fused_shares.hpp"
#include "support/effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace halocline::device::cuda {
namespace {

/// The tiles of an exchange, sends before receives, in the order of CudaFusedExchange.
struct Tiles {
  std::vector<PartTiles> sends;
  TileRange local;
  std::vector<PartTiles> receives;

  Tiles(const std::vector<std::uint32_t>& send, std::uint32_t local_tiles, const std::vector<std::uint32_t>& receive) {
    for (const std::uint32_t count : send) sends.push_back({next(count), 0});
    for (const std::uint32_t count : receive) receives.push_back({next(count), 0});
    local = next(local_tiles);
  }
  /// Marks every `every`-th part as packets; 1: all parts.
  void as_packets(std::size_t every) {
    for (auto* parts : {&sends, &receives}) {
      for (std::size_t i = 0; i < parts->size(); i += every) (*parts)[i].as_packets = true;
    }
  }
  /// Assigns the stage of each part.
  void in_turns(const std::vector<int>& send, const std::vector<int>& receive) {
    for (std::size_t i = 0; i < sends.size(); ++i) sends[i].stage = send.at(i);
    for (std::size_t i = 0; i < receives.size(); ++i) receives[i].stage = receive.at(i);
  }
  [[nodiscard]] Shares deal(const BlockLimits& limits) const { return deal_shares(sends, local, receives, limits); }
  /// All blocks may send.
  [[nodiscard]] Shares deal(std::uint32_t most_blocks) const { return deal({most_blocks, most_blocks}); }
  [[nodiscard]] TileRange of(const Share& share) const {
    switch (share.role) {
      case Role::send:
      case Role::put: return sends.at(share.part).tiles;
      case Role::receive:
      case Role::take: return receives.at(share.part).tiles;
      case Role::local: return local;
    }
    return {};
  }
  [[nodiscard]] int turn_of(const Share& share) const {
    switch (share.role) {
      case Role::send:
      case Role::put: return sends.at(share.part).stage;
      case Role::receive:
      case Role::take: return receives.at(share.part).stage;
      case Role::local: return 0;
    }
    return 0;
  }
  std::uint32_t all = 0;

 private:
  TileRange next(std::uint32_t tiles) {
    all += tiles;
    return {all - tiles, all};
  }
};

std::vector<Share> shares_of(const Shares& dealt, std::uint32_t block) {
  return {dealt.shares.begin() + dealt.first_share.at(block), dealt.shares.begin() + dealt.first_share.at(block + 1)};
}

std::uint32_t tiles_in(const Share& share) {
  return share.first < share.end ? (share.end - share.first + share.stride - 1) / share.stride : 0;
}

/// The number of tiles of a role, by block.
std::vector<std::uint32_t> loads(const Shares& dealt, Role role) {
  std::vector<std::uint32_t> tiles(dealt.block_count());
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) {
    for (const Share& share : shares_of(dealt, block)) tiles[block] += share.role == role ? tiles_in(share) : 0;
  }
  return tiles;
}

/// The order of work within a block: it sends its own messages before it waits for others.
int stage_of(Role role) {
  switch (role) {
    case Role::send:
    case Role::put: return 0;
    case Role::local: return 1;
    case Role::receive:
    case Role::take: break;
  }
  return 2;
}

/// The requirements of the kernel, for any case.
void check_all(const Tiles& tiles, const BlockLimits& limits) {
  const Shares dealt = tiles.deal(limits);
  ASSERT_LE(dealt.block_count(), limits.all);
  ASSERT_EQ(dealt.first_share.front(), 0u);
  ASSERT_EQ(dealt.first_share.back(), dealt.shares.size());
  ASSERT_EQ(dealt.blocks.size(), tiles.sends.size());
  std::vector<int> done(tiles.all);
  std::vector<std::set<std::uint32_t>> blocks(tiles.sends.size());
  std::set<std::uint32_t> senders;
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) {
    const std::vector<Share> shares = shares_of(dealt, block);
    ASSERT_FALSE(shares.empty()) << "block " << block << " has no work";
    const auto place = [&](const Share& share) { return std::pair(stage_of(share.role), tiles.turn_of(share)); };
    ASSERT_TRUE(std::is_sorted(shares.begin(), shares.end(),
                               [&](const Share& a, const Share& b) { return place(a) < place(b); }));
    for (const Share& share : shares) {
      const TileRange whole = tiles.of(share);
      ASSERT_GE(share.stride, 1u);
      ASSERT_GE(share.first, whole.begin);
      ASSERT_LE(share.end, whole.end);
      for (std::uint32_t at = share.first; at < share.end; at += share.stride) ++done.at(at);
      if (stage_of(share.role) != 1) {
        const bool sent = stage_of(share.role) == 0;
        const PartTiles& part = (sent ? tiles.sends : tiles.receives).at(share.part);
        ASSERT_EQ(part.as_packets, share.role == Role::put || share.role == Role::take);
        if (sent) senders.insert(block);
      }
      if (share.role == Role::send) {
        // The kernel counts each block once for a send.
        ASSERT_TRUE(blocks.at(share.part).insert(block).second) << "block " << block << " has send " << share.part;
      } else {
        ASSERT_GE(tiles_in(share), 1u);
      }
    }
  }
  ASSERT_EQ(done, std::vector<int>(tiles.all, 1));
  ASSERT_LE(senders.size(), limits.senders);
  for (std::size_t part = 0; part < tiles.sends.size(); ++part) {
    if (tiles.sends[part].as_packets) continue;
    ASSERT_GE(dealt.blocks[part], 1u);
    ASSERT_EQ(dealt.blocks[part], blocks[part].size()) << "send " << part;
  }
}

TEST(FusedShares, EveryTileIsDealtOnceInAnyExchange) {
  std::mt19937 random(20250613);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  const auto parts = [&] {
    std::vector<std::uint32_t> counts(up_to(3) == 0 ? 0 : up_to(40));
    for (std::uint32_t& count : counts) count = up_to(3) == 0 ? up_to(2) : up_to(2) == 0 ? up_to(900) : up_to(30);
    return counts;
  };
  for (int i = 0; i < halocline::test::some_of(6000); ++i) {
    const auto send = parts();
    const auto receive = parts();
    const std::uint32_t local = up_to(2) == 0 ? 0 : up_to(1000);
    const std::uint32_t most_blocks = 1 + (up_to(2) == 0 ? up_to(3) : up_to(400));
    Tiles tiles(send, local, receive);
    if (up_to(1) == 0) {
      std::vector<int> turns(std::max(send.size(), receive.size()));
      for (int& turn : turns) turn = static_cast<int>(up_to(8));
      tiles.in_turns(turns, turns);
    }
    if (up_to(1) == 0) tiles.as_packets(1 + up_to(3));
    const std::uint32_t senders = up_to(1) == 0 ? most_blocks : 1 + up_to(most_blocks);
    check_all(tiles, {most_blocks, senders});
    ASSERT_FALSE(testing::Test::HasFatalFailure())
        << "case " << i << ", " << most_blocks << " blocks at most, " << senders << " of them to send";
  }
}

TEST(FusedShares, WhatIsMissingIsLeftOut) {
  const std::vector<std::uint32_t> none;
  for (const std::uint32_t most_blocks : {1u, 2u, 3u, 100u}) {
    for (const auto& send : {none, {0}, {0, 0, 0}, {7}, {1, 300, 0}}) {
      for (const std::uint32_t local : {0u, 1u, 50u}) {
        for (const auto& receive : {none, {0}, {0, 9}}) {
          check_all(Tiles(send, local, receive), {most_blocks, most_blocks});
          ASSERT_FALSE(testing::Test::HasFatalFailure());
        }
      }
    }
    EXPECT_EQ(Tiles(none, 0, none).deal(most_blocks).block_count(), 0u);
    EXPECT_EQ(Tiles(none, 0, {0, 0}).deal(most_blocks).block_count(), 0u);
    EXPECT_EQ(Tiles({0}, 0, none).deal(most_blocks).block_count(), 1u);
  }
}

/// A single block is enough, because it sends before it waits.
TEST(FusedShares, OneBlockHasAllInTheOrderOfItsWork) {
  const Shares dealt = Tiles({3, 0, 5}, 4, {2, 0, 6}).deal(1);
  ASSERT_EQ(dealt.block_count(), 1u);
  std::vector<std::pair<Role, std::uint32_t>> order;
  for (const Share& share : dealt.shares) order.emplace_back(share.role, share.part);
  EXPECT_EQ(order, (std::vector<std::pair<Role, std::uint32_t>>{{Role::send, 0},
                                                                {Role::send, 1},
                                                                {Role::send, 2},
                                                                {Role::local, 0},
                                                                {Role::receive, 0},
                                                                {Role::receive, 2}}));
}

TEST(FusedShares, SendsHaveBlocksInProportionToTheirTiles) {
  const std::vector<std::uint32_t> send{1200, 600, 300, 150, 75, 75};
  const Tiles tiles(send, 0, {});
  for (const std::uint32_t most_blocks : {32u, 100u, 395u, 2400u, 9999u}) {
    const Shares dealt = tiles.deal(most_blocks);
    const std::uint32_t used = std::min(most_blocks, 2400u);
    for (std::size_t part = 0; part < send.size(); ++part) {
      const double fair = send[part] * (used / 2400.0);
      EXPECT_LT(std::abs(dealt.blocks[part] - fair), 1.5) << "send " << part << " of " << most_blocks << " blocks";
    }
    EXPECT_EQ(std::accumulate(dealt.blocks.begin(), dealt.blocks.end(), 0u), used);
  }
}

/// The other blocks do the rest, and all blocks do the last stage.
TEST(FusedShares, NoMoreBlocksSendThanMay) {
  for (const std::uint32_t senders : {1u, 16u, 132u}) {
    const Shares only = Tiles({900, 900}, 0, {}).deal({263, senders});
    EXPECT_EQ(only.block_count(), senders);
    const Shares beside = Tiles({900, 900}, 5000, {}).deal({263, senders});
    EXPECT_EQ(beside.block_count(), 263u);
    const std::vector<std::uint32_t> local = loads(beside, Role::local);
    EXPECT_EQ(std::count(local.begin(), local.end(), 0u), std::min(senders, 85u));
  }
}

/// No block is much slower than the others. With twice as many blocks as messages, none has more than twice its share.
TEST(FusedShares, NoBlockSendsMuchMoreThanItsShare) {
  std::mt19937 random(4);
  for (int i = 0; i < halocline::test::some_of(4000); ++i) {
    std::vector<std::uint32_t> send(1 + random() % 30);
    const std::uint32_t large = random() % 8 + 1;  // one message in `large` is large: faces, edges, corners
    for (std::size_t part = 0; part < send.size(); ++part) {
      send[part] = static_cast<std::uint32_t>(random() % (part % large == 0 ? 2000 : 20));
    }
    const std::uint32_t all = std::accumulate(send.begin(), send.end(), 0u);
    const bool many = random() % 2 == 0;
    const auto most_blocks =
        static_cast<std::uint32_t>(many ? 2 * send.size() + random() % 400 : 1 + random() % (2 * send.size()));
    const Shares dealt = Tiles(send, 0, {}).deal(most_blocks);
    const std::vector<std::uint32_t> sent = loads(dealt, Role::send);
    const double fair = double(all) / most_blocks;
    // With fewer blocks than messages, blocks send several messages; with a few more, each message has its own blocks.
    const double most =
        many || send.size() <= most_blocks ? double(all) / std::max(most_blocks - double(send.size()), 0.5) : 3 * fair;
    ASSERT_LE(*std::max_element(sent.begin(), sent.end()), most + 2)
        << "case " << i << ": " << send.size() << " sends, " << all << " tiles, " << most_blocks << " blocks";
    if (send.size() <= most_blocks) {
      for (std::uint32_t block = 0; block < dealt.block_count(); ++block) ASSERT_EQ(shares_of(dealt, block).size(), 1u);
    }
  }
}

/// Each message goes to the block with the fewest tiles so far.
TEST(FusedShares, SmallMessagesGoToTheBlockWithoutTheLargeOne) {
  EXPECT_EQ(loads(Tiles({5, 1, 1, 1, 1}, 0, {}).deal(2), Role::send), (std::vector<std::uint32_t>{5, 4}));
}

/// Receives of early stages go to blocks that do not send, so that they do not wait for sends; all blocks do the last
/// stage.
TEST(FusedShares, ReceivesOfEarlierTurnsGoToBlocksThatDoNotSend) {
  Tiles tiles({500, 500, 900}, 0, {400, 400, 300});
  tiles.in_turns({0, 1, 2}, {0, 1, 2});
  const Shares dealt = tiles.deal(100);
  ASSERT_EQ(dealt.block_count(), 100u);
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) {
    std::set<std::pair<Role, std::uint32_t>> has;
    for (const Share& share : shares_of(dealt, block)) has.emplace(share.role, share.part);
    const bool sends = has.contains({Role::send, 0});
    EXPECT_EQ(sends, block < 50);
    for (const std::uint32_t part : {0u, 1u}) {
      EXPECT_EQ(has.contains({Role::send, part}), sends);
      EXPECT_EQ(has.contains({Role::receive, part}), !sends) << "block " << block << ", receive " << part;
    }
    EXPECT_TRUE(has.contains({Role::receive, 2}));
  }
}

/// Blocks that receive packets wait from the start, concurrently with the sending blocks.
TEST(FusedShares, PacketsAreTakenByBlocksThatDoNotSend) {
  Tiles tiles({40, 40}, 0, {40, 40});
  tiles.as_packets(1);
  const Shares dealt = tiles.deal({263, 132});
  EXPECT_EQ(dealt.block_count(), 160u);
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) ASSERT_EQ(shares_of(dealt, block).size(), 1u);
  const Shares few = tiles.deal({20, 132});
  const std::vector<std::uint32_t> put = loads(few, Role::put);
  const std::vector<std::uint32_t> taken = loads(few, Role::take);
  for (std::uint32_t block = 0; block < 20; ++block) EXPECT_EQ(put[block] + taken[block], 8u);
}

/// The two ends of rows come from two neighbours; they are unpacked concurrently.
TEST(FusedShares, ReceivesOfOneTurnAreDoneAtTheSameTime) {
  const Shares dealt = Tiles({}, 0, {600, 600}).deal(30);
  for (std::uint32_t block = 0; block < dealt.block_count(); ++block) ASSERT_EQ(shares_of(dealt, block).size(), 1u);
  const std::vector<std::uint32_t> received = loads(dealt, Role::receive);
  EXPECT_EQ(std::count(received.begin(), received.end(), 40u), 30);
}

/// If there is much work of both kinds, each kind has its own blocks.
TEST(FusedShares, LocalTilesGoToBlocksThatDoNotSend) {
  const auto senders_of = [](const Tiles& tiles, const BlockLimits& limits) {
    const Shares dealt = tiles.deal(limits);
    const std::vector<std::uint32_t> sent = loads(dealt, Role::send);
    const std::vector<std::uint32_t> local = loads(dealt, Role::local);
    EXPECT_EQ(dealt.block_count(), limits.all);
    for (std::uint32_t block = 0; block < limits.all; ++block) EXPECT_NE(sent[block] > 0, local[block] > 0);
    return limits.all - static_cast<std::uint32_t>(std::count(sent.begin(), sent.end(), 0u));
  };
  const Tiles tiles({400, 400, 400}, 5000, {5});
  // In proportion to the work of each kind, and never more than half.
  EXPECT_EQ(senders_of(tiles, {66, 132}), 15u);
  EXPECT_EQ(senders_of(tiles, {263, 132}), 63u);
  EXPECT_EQ(senders_of(Tiles({400, 400, 400}, 1600, {}), {66, 132}), 33u);
  EXPECT_EQ(senders_of(Tiles({400, 400, 400}, 90, {}), {66, 132}), 33u);
  // The work of all stages counts; unpacking counts as other work.
  Tiles in_turns({400, 400, 400}, 5000, {});
  in_turns.in_turns({0, 1, 2}, {});
  EXPECT_EQ(senders_of(in_turns, {66, 132}), 16u);
  EXPECT_EQ(senders_of(Tiles({4}, 9000, {}), {66, 132}), 1u);
}

}  // namespace
}  // namespace halocline::device::cuda

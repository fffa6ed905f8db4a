// SPDX-License-Identifier: BSD-3-Clause
// Rows of cells as packets: the tasks of both ends, carried out on the host.
#include "device/cuda/packet_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "halocline/box.hpp"

namespace halocline::device::cuda {
namespace {

/// Copies of dense rows into a receive buffer; the offsets within the buffer do not matter.
struct Case {
  std::vector<std::byte> cells = std::vector<std::byte>(std::size_t{1} << 20);
  std::vector<std::byte> room = std::vector<std::byte>(std::size_t{2} << 20);
  OutgoingPart out;
  IncomingPart in;

  explicit Case(std::mt19937& random) {
    const auto up_to = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
    std::int64_t cells_used = 0;
    for (std::int64_t copies = up_to(4); copies > 0; --copies) {
      const std::int64_t element = std::array<std::int64_t, 3>{4, 8, 16}[random() % 3];
      const Vec3 extent{up_to(40), up_to(6), up_to(6)};
      const std::int64_t pitch = extent.x * element + 4 * up_to(3);
      const std::array stride{element, pitch, pitch * extent.y + 4 * up_to(3)};
      out.copies.push_back({cells.data() + cells_used, room.data(), stride, {}, extent, element});
      in.copies.push_back({room.data(), cells.data() + cells_used, {}, stride, extent, element});
      cells_used += stride[2] * extent.z;
    }
    out.packets = in.packets = {{room.data(), room.data() + room.size() / 2}};
  }
};

TEST(PacketPlan, EveryWordOfEveryRowIsInOnePair) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const Case tested(random);
    std::map<std::int64_t, int> expected;  // by word, from the start of the cells
    for (const StridedCopy& copy : tested.out.copies) {
      for_each_cell(Box::of_extent({copy.extent.x * copy.element_bytes / 4, copy.extent.y, copy.extent.z}),
                    [&](const Vec3& p) {
                      ++expected[copy.source - tested.cells.data() + 4 * p.x + p.y * copy.source_stride[1] +
                                 p.z * copy.source_stride[2]];
                    });
    }
    std::map<std::int64_t, int> found;
    std::set<std::byte*> slots;
    const std::vector<PacketTask> tasks = plan_packets(tested.out);
    for (const PacketTask& task : tasks) {
      EXPECT_EQ(task.buffers[1] - task.buffers[0], tested.out.packets.buffers[1] - tested.out.packets.buffers[0]);
      for (std::uint32_t pair = 0; pair < task.pairs; ++pair) {
        const PairPlace place = place_of_pair(task, pair);
        ASSERT_GE(place.words, 1u);
        ASSERT_LE(place.words, words_of_pair);
        for (std::uint32_t word = 0; word < place.words; ++word) {
          ++found[task.cells - tested.cells.data() + place.cells + 4 * std::int64_t{word} * task.row.divisor];
        }
        for (const std::int64_t packet : {std::int64_t{0}, high_packet}) {
          ASSERT_TRUE(slots.insert(task.buffers[0] + slot_of_pair(pair) + packet).second);
        }
      }
    }
    ASSERT_EQ(found, expected);
    EXPECT_EQ(*slots.begin(), tested.room.data() + sizeof(Flag));
    std::int64_t bytes = 0;
    for (const StridedCopy& copy : tested.out.copies) {
      bytes += packet_room_bytes(copy.extent.x * copy.element_bytes, copy.extent.y * copy.extent.z);
    }
    ASSERT_LE(*slots.rbegin() + packet_bytes, tested.room.data() + sizeof(Flag) + bytes);
  }
}

TEST(PacketPlan, BothEndsHaveTheSamePairsInTheSameSlots) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Case tested(random);
    const auto sent = plan_packets(tested.out);
    const auto taken = plan_packets(tested.in);
    ASSERT_EQ(sent.size(), taken.size());
    for (std::size_t task = 0; task < sent.size(); ++task) {
      EXPECT_EQ(sent[task].pairs, taken[task].pairs);
      EXPECT_EQ(sent[task].buffers, taken[task].buffers);
      EXPECT_EQ(sent[task].cells, taken[task].cells);  // equal in this case
      for (const std::uint32_t pair : {0u, sent[task].pairs / 2, sent[task].pairs - 1}) {
        EXPECT_EQ(place_of_pair(sent[task], pair).cells, place_of_pair(taken[task], pair).cells);
        EXPECT_EQ(place_of_pair(sent[task], pair).words, place_of_pair(taken[task], pair).words);
      }
    }
  }
}

TEST(PacketPlan, TilesHaveAllPairsOfAllTasks) {
  PacketTask small;
  small.pairs = 3;
  PacketTask large;
  large.pairs = 2 * tile_pairs + 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tiles;
  for (const PacketTile& tile : plan_packet_tiles(std::vector{small, large})) tiles.emplace_back(tile.task, tile.first);
  EXPECT_EQ(tiles, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                       {0, 0}, {1, 0}, {1, tile_pairs}, {1, 2 * tile_pairs}}));
}

TEST(PacketPlan, NothingToCopyIsNoTask) {
  OutgoingPart part;
  std::array<std::byte, 64> cells{};
  part.copies = {{cells.data(), cells.data(), {4, 4, 4}, {}, {3, 0, 1}, 4}};
  part.packets = {{cells.data(), cells.data() + 32}};
  EXPECT_TRUE(plan_packets(part).empty());
}

}  // namespace
}  // namespace halocline::device::cuda

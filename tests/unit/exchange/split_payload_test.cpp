// SPDX-License-Identifier: BSD-3-Clause
// In which way the rows of a message are sent, and the room that the packed ones need.
#include "exchange/detail/split_payload.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "exchange/pack/copies.hpp"
#include "partition/strategy.hpp"

namespace halocline::exchange {
namespace {

/// A subdomain of fp32 cells that is its own neighbour, with its message.
struct OneMessage {
  OneMessage(const Vec3& extent, Direction direction) : OneMessage(extent) {
    std::erase_if(message.segments, [&](const partition::Segment& one) { return !(one.direction == direction); });
  }
  /// In all directions.
  explicit OneMessage(const Vec3& extent) : geometry(geometry_of(extent)) {
    message = partition::outgoing(geometry, subdomain_id(0)).at(0);
    selection.items.push_back({.field = field_id(0)});
    tuning.short_row_bytes = 64;
    tuning.pack_short_rows_from_bytes = 1;
    tuning.packed_piece_bytes = 512;
    tuning.packets_at_most_bytes = 0;
  }
  static partition::Geometry geometry_of(const Vec3& extent) {
    FieldDescriptor field;
    field.name = "u";
    field.element = Element::f32;
    return {
        partition::make_partition({.extent = extent, .halo = Stencil::box(2)}), {field}, Stencil::box(2), all_periodic};
  }
  [[nodiscard]] SplitPayload split() const { return split_payload(message, selection, geometry, tuning, {}); }
  [[nodiscard]] PackedRoom room() const { return packed_room(message, geometry, tuning, true); }

  partition::Geometry geometry;
  partition::Message message;
  Selection selection;
  Tuning tuning;
};

TEST(SplitPayload, ShortRowsHaveRoomInEachDirection) {
  for (const Direction direction : {Direction::of(1, 0, 0), Direction::of(0, 1, 0), Direction::of(0, 0, 1)}) {
    const OneMessage narrow({8, 40, 40}, direction);  // rows of 32 bytes at most
    ASSERT_EQ(narrow.message.segments.size(), 1U);
    const SplitPayload split = narrow.split();
    EXPECT_TRUE(split.rows.segments.empty());
    ASSERT_FALSE(split.pieces.empty());
    EXPECT_LE(split.pieces.back().bytes + SplitPayload::slack_bytes, narrow.room().bytes);
    EXPECT_LE(std::ssize(split.pieces), narrow.room().pieces);
  }
}

/// Segments that differ in the sign of x alone are the two ends of rows.
TEST(SplitPayload, BothEndsOfRowsTakeTurns) {
  const OneMessage both({64, 40, 40});
  const SplitPayload split = both.split();
  ASSERT_GT(split.pieces.size(), 1U);
  std::size_t pairs = 0;
  std::int64_t end = 0;
  // The copies are not run: only addresses count.
  std::byte storage[1];
  Array array;
  array.origin = storage;
  array.stride_bytes = {4, 4 * 68, 4 * 68 * 44};
  const std::vector<std::vector<Array>> arrays{{array}};
  for (const Payload& piece : split.pieces) {
    const auto copies = pack_copies(piece, {&both.geometry, subdomain_id(0), &arrays}, storage);
    std::vector<PackedSegment> boxes = piece.segments;
    std::erase_if(boxes, [](const PackedSegment& item) { return !item.packs; });
    ASSERT_EQ(copies.size(), boxes.size());
    for (std::size_t i = 0; i < boxes.size(); i += 2) {
      const PackedSegment& one = boxes[i];
      const PackedSegment& other = boxes.at(i + 1);
      EXPECT_EQ(one.segment.direction[0], -other.segment.direction[0]);
      EXPECT_EQ(one.segment.direction[1], other.segment.direction[1]);
      EXPECT_EQ(one.segment.direction[2], other.segment.direction[2]);
      EXPECT_EQ(one.box.offset % SplitPayload::line_bytes, 0);
      EXPECT_EQ(copies[i].target - storage, one.box.offset);
      EXPECT_EQ(copies[i + 1].target - copies[i].target, 2 * 4) << "a row of two cells";
      EXPECT_EQ(copies[i].target_stride[1], 2 * 2 * 4) << "two such rows";
      EXPECT_EQ(one.box.in_turns, 2);
      EXPECT_EQ(other.box.in_turns, 2);
      EXPECT_GE(one.box.offset, end);
      end = one.box.offset + one.segment.bytes + other.segment.bytes;
      ++pairs;
    }
    EXPECT_GE(piece.bytes, end);
  }
  EXPECT_GT(pairs, split.pieces.size())
      << "a part of a face in each, and edges that are in other pieces than their cells of it";
  EXPECT_LE(split.pieces.back().bytes + SplitPayload::slack_bytes, both.room().bytes);
}

/// In what is packed as a whole and in parts, too; not where segments are compared one by one.
TEST(SplitPayload, BothEndsOfRowsTakeTurnsInEveryMessage) {
  const OneMessage both({64, 40, 40});
  const auto in_turns = [](const Payload& payload) {
    return std::ranges::count_if(payload.segments, [](const PackedSegment& item) { return item.box.in_turns == 2; });
  };
  const Payload whole = payload_of(both.message, both.selection);
  EXPECT_EQ(whole.segments.size(), 26U);
  EXPECT_EQ(in_turns(whole), 2) << "faces; what else has a direction in x is in larger faces";
  EXPECT_LE(whole.bytes, payload_capacity(both.message));
  EXPECT_EQ(in_turns(payload_of(both.message, both.selection, Layout::by_segment)), 0);
  for (const Payload& part : in_parts(whole, 2)) {
    EXPECT_GE(in_turns(part), 2);
    EXPECT_LE(part.bytes, part_capacity(both.message, 2));
  }
}

TEST(SplitPayload, LongRowsNeedNoRoom) {
  for (const Direction direction : {Direction::of(0, 1, 0), Direction::of(0, 0, 1)}) {
    const OneMessage wide({64, 40, 40}, direction);
    EXPECT_TRUE(wide.split().pieces.empty());
    EXPECT_EQ(wide.room().bytes, 0);
  }
}

/// Planes in z are contiguous; in y where there are fewer planes in z than parts and than in y.
TEST(SplitPayload, PartsAreOfPlanesInZWhereThereAreEnough) {
  const auto extents_of = [](Direction direction, int parts) {
    const OneMessage one({16, 20, 40}, direction);
    std::vector<Vec3> extents;
    for (const Payload& part : in_parts(payload_of(one.message, one.selection), parts)) {
      extents.push_back(part.segments.at(0).segment.source.extent());
    }
    return extents;
  };
  EXPECT_EQ(extents_of(Direction::of(1, 0, 0), 4), std::vector<Vec3>(4, {2, 20, 10}));
  EXPECT_EQ(extents_of(Direction::of(0, 0, 1), 4), std::vector<Vec3>(4, {16, 5, 2}));
  EXPECT_EQ(extents_of(Direction::of(0, 0, 1), 2), std::vector<Vec3>(2, {16, 20, 1}));
}

}  // namespace
}  // namespace halocline::exchange

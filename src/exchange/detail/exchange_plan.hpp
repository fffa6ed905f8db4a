// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "partition/halo.hpp"

namespace halocline::exchange {

/// A selection for which operations are prepared, with an index by which endpoints find what they prepared for it.
struct ExchangePlan {
  std::size_t index = 0;
  Selection selection;
  std::uint64_t token = 0;
};

/// A box of the sender's cells in a packed message.
struct PackedBox {
  Box cells;
  std::int64_t offset = 0;  ///< bytes from the start of the payload to the first row of those that take turns
  int turn = 0;             ///< rows that lie before this box's, each time
  int in_turns = 1;         ///< boxes whose rows take turns in the payload, this one among them
};

/// A segment of a message in a selection, or a part of it, and where its cells lie in the packed message.
struct PackedSegment {
  partition::Segment segment;
  int buffer = 0;     ///< of the segment's field
  PackedBox box{};    ///< contains the segment's source
  bool packs = true;  ///< false if another segment packs the box
};

/// How segments lie in a payload.
enum class Layout {
  by_segment,  ///< each by itself, dense
  /// Cells that several segments need lie there once (docs/decisions/0099). Rows of segments that differ in the sign of x
  /// alone, the two ends of the same rows of cells, take turns, so that memory that lies side by side is read, and
  /// written, at the same time (docs/decisions/0097).
  compact
};

/// The payload of a message for a selection: boxes of cells one after another, each starting at a multiple of 16 bytes, so
/// that both ends find every element aligned. Both ends compute it from the same message.
struct Payload {
  static constexpr std::int64_t least_boundary = 16;

  std::vector<PackedSegment> segments;
  std::int64_t bytes = 0;
  /// Each box, or pair of boxes in turns, begins at a multiple of `boundary`; where the segments lay before does not count.
  void append(std::span<const PackedSegment> segments, Layout layout, std::int64_t boundary = least_boundary);
};
[[nodiscard]] Payload payload_of(const partition::Message& message, const Selection& selection,
                                 Layout layout = Layout::compact);

/// The largest payload that any selection can need: all fields, whole.
[[nodiscard]] std::int64_t payload_capacity(const partition::Message& message);

/// Precedes the payload in a message by MPI, so that the receiver can check that both sides exchange the same.
struct alignas(64) Header {
  std::uint64_t token = 0;
  std::uint64_t epoch = 0;
};
static_assert(sizeof(Header) == 64);

}  // namespace halocline::exchange

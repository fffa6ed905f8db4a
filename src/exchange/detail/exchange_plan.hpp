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

/// A segment of a message in a selection, or a part of it, and where its bytes lie in the packed message.
struct PackedSegment {
  partition::Segment segment;
  int buffer = 0;           ///< of the segment's field
  std::int64_t offset = 0;  ///< bytes from the start of the payload to the first row of those that take turns
  int turn = 0;             ///< rows that lie before this segment's, each time
  int in_turns = 1;         ///< segments whose rows take turns in the payload, this one among them
};

/// Whether rows of segments that differ in the sign of x alone, the two ends of the same rows of cells, take turns in a
/// payload, so that memory that lies side by side is read, and written, at the same time (docs/decisions/0097).
enum class RowEnds { apart, in_turns };

/// The payload of a message for a selection: segments one after another, each starting at a multiple of 16 bytes, so
/// that both ends find every element aligned. Both ends compute it from the same message.
struct Payload {
  static constexpr std::int64_t least_boundary = 16;

  std::vector<PackedSegment> segments;
  std::int64_t bytes = 0;
  /// Each segment, or pair of segments in turns, begins at a multiple of `boundary`; where they lay before does not count.
  void append(std::span<const PackedSegment> segments, RowEnds ends, std::int64_t boundary = least_boundary);
};
[[nodiscard]] Payload payload_of(const partition::Message& message, const Selection& selection,
                                 RowEnds ends = RowEnds::in_turns);

/// The largest payload that any selection can need: all fields, whole.
[[nodiscard]] std::int64_t payload_capacity(const partition::Message& message);

/// Precedes the payload in a message by MPI, so that the receiver can check that both sides exchange the same.
struct alignas(64) Header {
  std::uint64_t token = 0;
  std::uint64_t epoch = 0;
};
static_assert(sizeof(Header) == 64);

}  // namespace halocline::exchange

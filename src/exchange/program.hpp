#pragma once

#include <cstdint>
#include <vector>

#include "halocline/exchange/exchange.hpp"
#include "halocline/partition/halo.hpp"

namespace halocline::exchange {

/// A selection that was met before, with a number by which endpoints find what they prepared for it.
struct Program {
  std::size_t index = 0;
  Selection selection;
  std::uint64_t token = 0;
};

/// A segment of a message in a selection, and where its bytes lie in the packed message.
struct PackedSegment {
  const partition::Segment* segment;
  int set = 0;              ///< of the segment's field
  std::int64_t offset = 0;  ///< bytes from the start of the payload
};

/// The payload of a message for a selection: segments one behind the other, each starting at a multiple of 16 bytes, so
/// that both ends find every element aligned. Both ends compute it from the same message.
struct Payload {
  std::vector<PackedSegment> segments;
  std::int64_t bytes = 0;
};
[[nodiscard]] Payload payload_of(const partition::Message& message, const Selection& selection);

/// The most that any selection can need: all fields.
[[nodiscard]] std::int64_t payload_capacity(const partition::Message& message);

/// A payload in two: what is moved row by row, and what is packed first, because its rows are short and many: over a link,
/// many short stores take longer than a pack and an unpack (docs/decisions/0015).
struct SplitPayload {
  Payload rows;
  Payload packed;
};
[[nodiscard]] SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                                         const partition::Geometry& geometry, const Tuning& tuning);
/// The most that the packed part of any selection needs.
[[nodiscard]] std::int64_t packed_capacity(const partition::Message& message, const partition::Geometry& geometry,
                                           const Tuning& tuning);

/// What precedes the payload in a message by MPI, so that the receiver can tell that both sides mean the same.
struct alignas(64) Header {
  std::uint64_t token = 0;
  std::uint64_t epoch = 0;
};
static_assert(sizeof(Header) == 64);

}  // namespace halocline::exchange

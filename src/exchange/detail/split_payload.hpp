// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/detail/exchange_plan.hpp"

namespace halocline::exchange {

/// A payload by the way in which it is sent. A small one is
/// sent as packets (docs/decisions/0036). Any other has two parts: rows that are moved one by one, and rows that are
/// packed first, because they are short and many, because the sender's device cannot reach the receiver's arrays, or because
/// the field has a wire format, in which they are never sent as packets. Over a link, many short stores take longer than a pack and an unpack (docs/decisions/0015). The packed part is cut into
/// pieces, so that one is unpacked while the next is being sent.
/// Offsets count from the start of the receive buffer; around each piece there are slack_bytes that belong to it.
/// Segments of pieces begin at lines of memory: a store of part of a sector costs a link more than one of a whole sector
/// (docs/decisions/0097).
struct SplitPayload {
  /// The most by which a row may grow at either end when it is unpacked into whole sectors.
  static constexpr std::int64_t slack_bytes = 32;
  static constexpr std::int64_t line_bytes = 128;
  static constexpr int most_pieces = 8;  ///< more would cost more in flags than they gain

  Payload rows;
  std::vector<Payload> pieces;
  Payload packets;
};

/// What the arrays of the two ends of a message allow.
struct RowAccess {
  bool in_place = true;     ///< the sender's device can store into the receiver's arrays
  bool as_packets = false;  ///< the rows of both ends' arrays may be sent as packets
};

[[nodiscard]] SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                                         const partition::Geometry& geometry, const Tuning& tuning, RowAccess access);

/// The largest amounts that any selection needs. in_place: as in RowAccess.
struct PackedRoom {
  std::int64_t bytes = 0;  ///< of the receive buffer of the pieces
  int pieces = 0;
  std::int64_t packet_buffer_bytes = 0;  ///< of each of the two packet buffers
};
[[nodiscard]] PackedRoom packed_room(const partition::Message& message, const partition::Geometry& geometry,
                                     const Tuning& tuning, bool in_place);

/// In how many pieces of about piece_bytes to send, 1 to SplitPayload::most_pieces.
[[nodiscard]] int pieces_of(std::int64_t bytes, std::int64_t piece_bytes);
/// A payload in n parts of about equal size, each with offsets of its own; some may be empty. Both ends compute the same.
[[nodiscard]] std::vector<Payload> in_parts(const Payload& payload, int n);
/// The most bytes that one of n parts can have in any selection.
[[nodiscard]] std::int64_t part_capacity(const partition::Message& message, int n);

/// Whether rows of all fields may be sent as packets from and to these arrays: whole contiguous words.
[[nodiscard]] bool may_go_as_packets(const partition::Geometry& geometry,
                                     const std::vector<std::vector<Array>>& arrays);

}  // namespace halocline::exchange

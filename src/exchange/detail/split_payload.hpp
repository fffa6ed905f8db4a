// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/detail/exchange_plan.hpp"

namespace halocline::exchange {

/// What kernels have not stored by themselves of a payload: all of it as packets where it is small (docs/decisions/0036), or
/// in two: what is moved row by row, and what is packed first,
/// because its rows are short and many: over a link, many short stores take longer than a pack and an unpack
/// (docs/decisions/0015). What is packed is cut into pieces, so that one is unpacked while the next is on its way. Offsets
/// count from the start of the receive buffer; around each piece there are slack_bytes that belong to it.
struct SplitPayload {
  /// As much as a row may grow by at either end when it is unpacked into whole sectors.
  static constexpr std::int64_t slack_bytes = 32;
  static constexpr int most_pieces = 8;  ///< more would cost more in flags than they gain

  Payload rows;
  std::vector<Payload> pieces;
  Payload packets;
};
/// as_packets: whether both ends' arrays have rows that may go as packets. What others also store for the message may not:
/// packets are in no order to it.
[[nodiscard]] SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                                         const partition::Geometry& geometry, const Tuning& tuning, bool as_packets);

/// The most that any selection needs.
struct PackedRoom {
  std::int64_t bytes = 0;  ///< of the receive buffer of the pieces
  int pieces = 0;
  std::int64_t packet_buffer_bytes = 0;  ///< of each of the two turns of packets
};
[[nodiscard]] PackedRoom packed_room(const partition::Message& message, const partition::Geometry& geometry,
                                     const Tuning& tuning);

/// Whether rows of all fields may be sent as packets from and to these arrays: whole contiguous words.
[[nodiscard]] bool may_go_as_packets(const partition::Geometry& geometry,
                                     const std::vector<std::vector<Array>>& arrays);

}  // namespace halocline::exchange

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline {

/// The format of rows of cells that are sent as LL packets (docs/decisions/0036). A packet has 16 bytes, of which 14
/// carry cells. A row is sent as pairs of packets. A pair carries seven words of the row, or fewer if the row has no
/// more: three words in each packet, and half of a seventh in each. If the words of a pair fit into one packet, only
/// that packet is sent.
struct PacketFormat {
  static constexpr std::int64_t packet_bytes = 16;
  static constexpr std::int64_t word_bytes = 4;  ///< cells, and the addresses of rows, are whole words
  static constexpr std::int64_t words_of_pair = 7;
  static constexpr std::int64_t words_of_packet = 3;
};

/// The bytes that a link carries if a number of contiguous rows of cells are sent as packets.
[[nodiscard]] constexpr std::int64_t packet_link_bytes(std::int64_t row_bytes, std::int64_t rows) {
  const std::int64_t words = row_bytes / PacketFormat::word_bytes;
  const std::int64_t pairs = (words + PacketFormat::words_of_pair - 1) / PacketFormat::words_of_pair;
  return PacketFormat::packet_bytes * (words <= PacketFormat::words_of_packet ? pairs : 2 * pairs) * rows;
}

}  // namespace halocline

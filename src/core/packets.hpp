// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline {

/// Rows of cells as packets (docs/decisions/0036): 16 bytes, of which 14 are of cells. A row goes as pairs of packets with seven
/// words of it, or fewer where there are no more: three each, and half of the one between. A pair of so few words that one packet
/// has them is one packet.
struct PacketFormat {
  static constexpr std::int64_t packet_bytes = 16;
  static constexpr std::int64_t word_bytes = 4;  ///< cells, and the addresses of rows, are whole words
  static constexpr std::int64_t words_of_pair = 7;
  static constexpr std::int64_t words_of_packet = 3;
};

/// Bytes on a link of a number of contiguous rows of cells that are sent as packets.
[[nodiscard]] constexpr std::int64_t packet_link_bytes(std::int64_t row_bytes, std::int64_t rows) {
  const std::int64_t words = row_bytes / PacketFormat::word_bytes;
  const std::int64_t pairs = (words + PacketFormat::words_of_pair - 1) / PacketFormat::words_of_pair;
  return PacketFormat::packet_bytes * (words <= PacketFormat::words_of_packet ? pairs : 2 * pairs) * rows;
}

}  // namespace halocline

#pragma once

#include <cstdint>
#include <vector>

#include "exchange/program.hpp"

namespace halocline::exchange {

/// What kernels have not stored by themselves of a payload, in two: what is moved row by row, and what is packed first,
/// because its rows are short and many: over a link, many short stores take longer than a pack and an unpack
/// (docs/decisions/0015). What is packed is cut into pieces, so that one is unpacked while the next is on its way. Offsets
/// count from the start of the landing buffer; around each piece there are slack_bytes that belong to it.
struct SplitPayload {
  /// As much as a row may grow by at either end when it is unpacked into whole sectors.
  static constexpr std::int64_t slack_bytes = 32;
  static constexpr int most_pieces = 8;  ///< more would be told more often than it helps

  Payload rows;
  std::vector<Payload> pieces;
};
[[nodiscard]] SplitPayload split_payload(const partition::Message& message, const Selection& selection,
                                         const partition::Geometry& geometry, const Tuning& tuning);

/// The most that the pieces of any selection need.
struct PackedRoom {
  std::int64_t bytes = 0;  ///< of the landing buffer
  int pieces = 0;
};
[[nodiscard]] PackedRoom packed_room(const partition::Message& message, const partition::Geometry& geometry,
                                     const Tuning& tuning);

}  // namespace halocline::exchange

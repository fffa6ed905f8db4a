// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packets.hpp"
#include "device/cuda/copy_plan.hpp"
#include "device/cuda/divider.hpp"
#include "device/cuda/tiling.hpp"
#include "device/fused_exchange.hpp"

// What a kernel is told that sends cells as packets, or takes them (docs/decisions/0036). No CUDA in here.
namespace halocline::device::cuda {

/// Of a row of n pairs, pair j has words j, j + n, j + 2n and so on, so that neighbours among the threads
/// load and store neighbours among the words.
inline constexpr std::uint32_t words_of_pair = PacketFormat::words_of_pair;
inline constexpr std::uint32_t words_of_packet = PacketFormat::words_of_packet;
inline constexpr std::int64_t packet_bytes = PacketFormat::packet_bytes;
/// The pairs that a warp sends lie together, so that each of its stores is of whole sectors of memory: the low packets of all
/// of them, then the high ones.
inline constexpr std::uint32_t warp_pairs = 32;
inline constexpr std::int64_t high_packet = warp_pairs * packet_bytes;
/// Where a pair's low packet is in a turn, from the task's first one on; its high one is high_packet behind it.
[[nodiscard]] constexpr std::int64_t slot_of_pair(std::uint32_t pair) {
  return pair / warp_pairs * (2 * high_packet) + pair % warp_pairs * packet_bytes;
}

/// Rows of one shape, in two loops, as pairs that are numbered along the rows, then along the loops: a thread each.
struct PacketTask {
  std::byte* cells = nullptr;            ///< the first row; where they are sent, they are only read
  std::array<std::byte*, 2> buffers{};   ///< where the first pair is in the room's turns
  std::array<std::int64_t, 2> stride{};  ///< of the loops, in bytes
  std::uint32_t pairs = 0;               ///< in all; at most most_units
  std::uint32_t words = 0;               ///< that every pair of a row has
  std::uint32_t with_more = 0;           ///< so many of them, the first ones, have one more
  Divider row;                           ///< pairs in a row
  Divider inner;                         ///< rows in the inner loop
};

/// A pair's words: so many, the first one so many bytes behind the task's first row, each `row` pairs behind the one before.
struct PairPlace {
  std::int64_t cells = 0;
  std::uint32_t words = 0;
};
[[nodiscard]] constexpr PairPlace place_of_pair(const PacketTask& task, std::uint32_t pair) {
  const std::uint32_t row = task.row.divide(pair);
  const std::uint32_t in_row = pair - row * task.row.divisor;
  const std::uint32_t outer = task.inner.divide(row);
  return {std::int64_t{row - outer * task.inner.divisor} * task.stride[0] + std::int64_t{outer} * task.stride[1] +
              std::int64_t{in_row} * 4,
          task.words + (in_row < task.with_more ? 1 : 0)};
}

/// What a block of threads sends or takes at a time: a pair a thread.
inline constexpr std::uint32_t tile_pairs = block_threads;

/// The pairs of a task from `first` on, up to tile_pairs of them.
struct PacketTile {
  std::uint32_t task = 0;
  std::uint32_t first = 0;
};

/// One copy is one task; their pairs lie in the room behind the turn's flag, one behind the other. Of an OutgoingPart or
/// IncomingPart that offers packets. Throws InvalidArgument for more pairs than can be numbered.
[[nodiscard]] std::vector<PacketTask> plan_packets(const OutgoingPart& part);
[[nodiscard]] std::vector<PacketTask> plan_packets(const IncomingPart& part);
[[nodiscard]] std::vector<PacketTile> plan_packet_tiles(std::span<const PacketTask> tasks);

}  // namespace halocline::device::cuda

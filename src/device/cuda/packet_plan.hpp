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

// Arguments of kernels that put cells into packets or take them (docs/decisions/0036). Contains no CUDA.
namespace halocline::device::cuda {

/// In a row of n pairs, pair j has words j, j + n, j + 2n and so on, so that neighbouring threads load and store neighbouring
/// words.
inline constexpr std::uint32_t words_of_pair = PacketFormat::words_of_pair;
inline constexpr std::uint32_t words_of_packet = PacketFormat::words_of_packet;
inline constexpr std::int64_t packet_bytes = PacketFormat::packet_bytes;
/// The pairs of a warp are contiguous: all low packets, then all high ones, so that each store of the warp covers whole
/// sectors.
inline constexpr std::uint32_t warp_pairs = 32;
inline constexpr std::int64_t high_packet = warp_pairs * packet_bytes;
/// Offset of a pair's low packet in a packet buffer, from the task's first packet; its high packet follows at + high_packet.
[[nodiscard]] constexpr std::int64_t slot_of_pair(std::uint32_t pair) {
  return pair / warp_pairs * (2 * high_packet) + pair % warp_pairs * packet_bytes;
}

/// Rows of one shape, in two loops. Their pairs are numbered along the rows, then along the loops; each is a thread's work.
struct PacketTask {
  std::byte* cells = nullptr;            ///< the first row; only read if they are sent
  std::array<std::byte*, 2> buffers{};   ///< the first pair in the two packet buffers
  std::array<std::int64_t, 2> stride{};  ///< of the loops, in bytes
  std::uint32_t pairs = 0;               ///< in total; at most most_units
  std::uint32_t words = 0;               ///< that each pair of a row has at least
  std::uint32_t with_more = 0;           ///< the first pairs of a row, in this number, have one word more
  Divider row;                           ///< pairs in a row
  Divider inner;                         ///< rows in the inner loop
};

/// A pair's words: the offset of the first in bytes from the task's first row, and their number. They are task.row words apart.
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

/// What a block puts or takes at a time: one pair for each thread.
inline constexpr std::uint32_t tile_pairs = block_threads;

/// Up to tile_pairs pairs of a task, from `first`.
struct PacketTile {
  std::uint32_t task = 0;
  std::uint32_t first = 0;
};

/// The tasks of a part that offers packets: one for each copy. Their pairs follow the flag of the packet buffer, task after
/// task. Throws InvalidArgument for more pairs than can be numbered.
[[nodiscard]] std::vector<PacketTask> plan_packets(const OutgoingPart& part);
[[nodiscard]] std::vector<PacketTask> plan_packets(const IncomingPart& part);
[[nodiscard]] std::vector<PacketTile> plan_packet_tiles(std::span<const PacketTask> tasks);

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda/fused_table.hpp"

// Assigns the tiles of an exchange to the blocks of its kernel. Contains no CUDA.
namespace halocline::device::cuda {

struct TileRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t count() const { return end - begin; }
};

/// The tiles of an OutgoingPart or an IncomingPart.
struct PartTiles {
  TileRange tiles;
  int stage = 0;
  bool as_packets = false;
};

/// How many blocks may work, and how many of them may send. Enough senders to fill the links suffice: with more of them, blocks
/// only end at different times. Both are 1 or more.
struct BlockLimits {
  std::uint32_t all = 1;
  std::uint32_t senders = 1;
};

struct Shares {
  std::vector<Share> shares;               ///< block after block, each in the order of its work
  std::vector<std::uint32_t> first_share;  ///< by block, and the total at the end
  std::vector<std::uint32_t> blocks;       ///< by send: number of blocks with a share of it
  [[nodiscard]] std::uint32_t block_count() const { return static_cast<std::uint32_t>(first_share.size() - 1); }
};

/// Assigns each tile to one block.
///
/// Sends are assigned stage by stage, each stage to all sending blocks. A send gets blocks of its own while there are enough,
/// in proportion to its tiles, so that all messages are under way at the same time; a send without tiles gets one block, which
/// signals its arrival. Receives are assigned in the same way.
///
/// Local tiles, and receives that are likely to arrive while other blocks still send, go to blocks that do not send, while
/// there are any: they then delay no message. The same holds for packets, which are waited for where they arrive.
///
/// Within a block, sends come first, then local tiles, then receives, so that no block waits for an arrival before its own
/// messages are sent. Blocks without work are left out.
[[nodiscard]] Shares deal_shares(const std::vector<PartTiles>& sends, TileRange local,
                                 const std::vector<PartTiles>& receives, const BlockLimits& limits);

}  // namespace halocline::device::cuda

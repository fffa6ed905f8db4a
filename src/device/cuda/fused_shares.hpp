// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda/fused_table.hpp"

// How the tiles of an exchange are dealt to the blocks of its kernel. No CUDA in here.
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

/// How many blocks may work, and how many of them may send: as many as fill the links, because more only end at different
/// times. 1 or more each.
struct BlockLimits {
  std::uint32_t all = 1;
  std::uint32_t senders = 1;
};

struct Shares {
  std::vector<Share> shares;  ///< one block's behind those of the block before it, in the order of its work
  std::vector<std::uint32_t> first_share;  ///< by block; one more at the end
  std::vector<std::uint32_t> blocks;       ///< by send: how many have a share in it
  [[nodiscard]] std::uint32_t block_count() const { return static_cast<std::uint32_t>(first_share.size() - 1); }
};

/// Each tile to one block. Turn after turn, all blocks that send are dealt the sends of that turn: each send has blocks of
/// its own as long as there are any, more where it has more tiles, so that all messages are under way at the same time; one,
/// which also tells of it, where it has no tiles. Receives are dealt alike. Local tiles, and receives of which a block may
/// hope that they are there while others still send, go to other blocks than sends as long as there are any, so that they
/// hold up no message, and packets are waited for where they come. A block sends before it works on local tiles, and receives last: so that nobody waits for an arrival
/// before its own messages are out. Blocks without work are left out.
[[nodiscard]] Shares deal_shares(const std::vector<PartTiles>& sends, TileRange local,
                                 const std::vector<PartTiles>& receives, const BlockLimits& limits);

}  // namespace halocline::device::cuda

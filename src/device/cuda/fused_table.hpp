// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/packet_plan.hpp"
#include "device/cuda/tiling.hpp"

// What the kernel that does a whole exchange is told. Plain values, laid out alike for both compilers; the arrays lie in
// device memory.
namespace halocline::device::cuda {

/// An OutgoingPart.
struct SendPart {
  WaitEntry ready;
  FlagSignal arrived;
  std::uint32_t participant = 0;
  std::uint32_t blocks = 0;  ///< that have a share in it, 1 or more; no meaning for packets
  /// Of packets: what says in each turn what they are of, in the place of arrived; else null.
  std::array<Flag*, 2> buffers{};
};

/// An IncomingPart.
struct ReceivePart {
  WaitEntry arrived;
  FlagSignal ready;  ///< flag may be null
  std::uint32_t participant = 0;
  std::array<const Flag*, 2> buffers{};  ///< of packets; else null
};

/// put and take are to packets what send and receive are to rows.
enum class Role : std::uint32_t { send, put, local, receive, take };

/// What a block does of a part: tiles first, first + stride, ... below end.
struct Share {
  Role role = Role::local;
  std::uint32_t part = 0;  ///< of the sends, or of the receives
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t stride = 1;
  bool open = false;  ///< a share before it in its block has waited for what this one would wait for
};

/// A share as a block finds it: the first ones are those of the blocks, in their order. With its first tile and what that
/// is of, so that a block that has no more than that finds all in one line of memory.
struct alignas(128) Work {
  struct Cells {
    CopyTile tile;
    TileShape shape;
  };
  struct Packets {
    PacketTile tile;
    PacketTask task;
  };
  Share share;
  std::uint32_t next = none;
  union {
    Cells cells;
    Packets packets;  ///< where they are put or taken
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  Work() : cells() {}
};
static_assert(sizeof(Work) == 128);

struct FusedTable {
  Board* board = nullptr;
  const TileShape* shapes = nullptr;
  const CopyTile* tiles = nullptr;
  const PacketTask* packet_tasks = nullptr;
  const PacketTile* packet_tiles = nullptr;  ///< that are put or taken
  const Work* work = nullptr;
  const SendPart* sends = nullptr;
  const ReceivePart* receives = nullptr;
  const CheckEntry* checks = nullptr;
  /// Of the participants. Those of the first ones travel with the kernel, so that the way to an epoch is one load.
  std::array<std::uint64_t*, 8> first_epochs{};
  std::uint64_t* const* epochs = nullptr;
  std::uint32_t* sent = nullptr;     ///< by send: blocks that are done with it; 0 between runs
  std::uint32_t* readers = nullptr;  ///< workers that have read the epochs; 0 between runs
  std::uint32_t send_count = 0;
  std::uint32_t receive_count = 0;
  std::uint32_t check_count = 0;
  std::uint32_t participant_count = 0;
  bool has_packets = false;  ///< where not, turns are null, and nothing is put or taken
};

}  // namespace halocline::device::cuda

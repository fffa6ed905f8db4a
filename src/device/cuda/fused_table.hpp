// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/packet_plan.hpp"
#include "device/cuda/tiling.hpp"

// Arguments of the kernel that carries out a whole exchange. Plain values, which both compilers lay out in the same way; the
// arrays are in device memory.
namespace halocline::device::cuda {

/// An OutgoingPart, or a Put, whose `arrived` is `posted`.
struct SendPart {
  WaitEntry ready;
  FlagSignal arrived;
  std::uint32_t participant = 0;
  std::uint32_t blocks = 0;  ///< blocks with a share of this part, 1 or more; unused for packets
  /// For packets: the flags of the two packet buffers, which replace `arrived`; otherwise null.
  std::array<Flag*, 2> buffers{};
  bool port = false;        ///< it is a Put
  std::int64_t to_odd = 0;  ///< Put::to_odd
};

/// An IncomingPart, or a Landing.
struct ReceivePart {
  WaitEntry arrived;
  FlagSignal ready;  ///< its flag may be null
  std::uint32_t participant = 0;
  std::array<const Flag*, 2> buffers{};  ///< for packets; otherwise null
  bool port = false;                     ///< it is a Landing
  /// A Landing's: flags of the host are far from a device, and so block 0 alone polls them. It passes an arrival on to the blocks that
  /// unpack by this flag of FusedTable::relays.
  std::uint32_t relay = 0;
  std::int64_t to_odd = 0;  ///< Landing::to_odd
};

/// Rows are sent and received; packets are put and taken.
enum class Role : std::uint32_t { send, put, local, receive, take };

/// A block's share of a part: tiles first, first + stride, ... below end; or, where claimed_from is not 0, the first two of these and
/// what the block's warps claim of the tiles claimed_from, claimed_from + 1, ... below end.
struct Share {
  Role role = Role::local;
  std::uint32_t part = 0;  ///< index among the sends, or among the receives
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t stride = 1;
  std::uint32_t claimed_from = 0;
  bool open = false;  ///< an earlier share of the block has already waited for the same flag
};

/// A share in the form in which a block reads it; entry i is the first share of block i. It contains its first tile and that
/// tile's shape or task, so that a block with a single tile reads one cache line.
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
    Packets packets;  ///< if the role is put or take
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  Work() : cells() {}
};
static_assert(sizeof(Work) == 128);

/// When a block worked on a share, in nanoseconds of the device's global timer.
struct ShareStamps {
  std::uint64_t begin = 0;
  std::uint64_t waited = 0;  ///< a send's first store, a receive's first load; after the first tile of a take
  std::uint64_t end = 0;     ///< its last store was issued; of a send also the signal
};

/// Where one run of an exchange stores the times of its parts. All null without a tracer.
struct StampRoom {
  std::uint64_t* coordinator = nullptr;  ///< when it began, and when it had posted all its "ready"
  std::uint64_t* arrivals = nullptr;     ///< by receive, when its flag was seen; 0 for packets
  ShareStamps* shares = nullptr;         ///< by entry of `work`
};

/// How many tiles of a send were claimed, by the number of the claiming warp in its block; 0 between runs.
struct alignas(32) Claims {
  std::array<std::uint32_t, block_threads / 32> tiles{};
};

struct FusedTable {
  Board* board = nullptr;
  const TileShape* shapes = nullptr;
  const CopyTile* tiles = nullptr;
  const PacketTask* packet_tasks = nullptr;
  const PacketTile* packet_tiles = nullptr;  ///< tiles that are put or taken
  const Work* work = nullptr;
  const SendPart* sends = nullptr;
  const ReceivePart* receives = nullptr;
  const CheckEntry* checks = nullptr;
  /// Addresses of the participants' epochs. The first ones are kernel arguments, so that reading an epoch takes one load.
  std::array<std::uint64_t*, 8> first_epochs{};
  std::uint64_t* const* epochs = nullptr;
  Claims* claims = nullptr;          ///< by send
  std::uint32_t* sent = nullptr;     ///< by send: number of blocks that have completed it; 0 between runs
  Flag* relays = nullptr;            ///< ReceivePart::relay
  std::uint32_t* readers = nullptr;  ///< number of workers that have read the epochs; 0 between runs
  std::uint32_t send_count = 0;
  std::uint32_t receive_count = 0;
  std::uint32_t check_count = 0;
  std::uint32_t participant_count = 0;
  bool has_packets = false;     ///< if false, all packet buffers are null
  bool converts = false;        ///< conversions are among the tiles
  bool has_ports = false;       ///< if false, no part is a port
  bool next_may_start = false;  ///< FusedPlan::next_may_start
  StampRoom stamps{};
};

}  // namespace halocline::device::cuda

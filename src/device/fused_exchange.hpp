// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/flag.hpp"
#include "device/strided_copy.hpp"

namespace halocline::device {

/// Memory of the receiver, by which the cells of a part may go as packets: 16 bytes that are stored and loaded as one access,
/// 14 of cells and 2 of a mark, which says that they are there (docs/decisions/0036). Two turns, each of a flag and then of
/// packet_room_bytes() for each copy: exchange e uses the one of e % 2. Zeros before the first exchange; nobody else writes
/// there. Whoever offers one has a part of the same `ready` in every exchange of the party, if only to say it. Null where
/// there is none.
struct PacketRoom {
  std::array<std::byte*, 2> turns{};
  [[nodiscard]] bool offered() const { return turns[0] != nullptr; }
};

/// How much of a turn so many rows of cells take, each contiguous and a multiple of 4 bytes, as its address is: two packets for
/// seven words of a row, and whole kilobytes, which a warp of a GPU stores at a time.
[[nodiscard]] constexpr std::int64_t packet_room_bytes(std::int64_t row_bytes, std::int64_t rows) {
  return ((row_bytes + 27) / 28 * rows + 31) / 32 * 1024;
}
/// A turn for so many bytes of packets, so that the other one may lie behind it.
[[nodiscard]] constexpr std::int64_t packet_turn_bytes(std::int64_t packets) {
  constexpr std::int64_t flag = sizeof(Flag);
  return flag + (packets + flag - 1) / flag * flag;
}

/// Cells that a device stores into memory that others read.
struct OutgoingPart {
  FlagWait ready;                   ///< that memory may be written
  std::vector<StridedCopy> copies;  ///< may be empty
  FlagSignal arrived;               ///< behind the last store
  /// Those of a lower turn are on their way first; several with one `ready` are pieces of what goes to one place.
  int turn = 0;
  /// Where offered, at both ends: the copies are to a place where they land, in rows of cells as packets want them, and the
  /// other end's copies are the same rows, in the same order, from there. A backend sends them that way, or as packets.
  PacketRoom packets = {};
};

/// Cells that others store into this device's memory.
struct IncomingPart {
  FlagSignal ready;                 ///< the memory may be written; flag null where another part says so
  FlagWait arrived;                 ///< all is there
  std::vector<StridedCopy> copies;  ///< behind that: from where it landed to where it belongs; may be empty
  int turn = 0;                     ///< that of the part that comes
  PacketRoom packets = {};          ///< that of the part that comes
};

/// Who takes part in exchanges under an epoch of its own: the number of those that are done, in device memory, 0 at first.
/// Its flags carry that number, and nothing else advances it.
struct Party {
  std::uint64_t* epoch = nullptr;
  std::vector<CounterCheck> expected;
  std::vector<OutgoingPart> outgoing;
  std::vector<IncomingPart> incoming;
};

/// A part of the room that a device has for kernels that wait for other devices: Backend::reserve_room().
class Room {
 public:
  virtual ~Room() = default;
};

/// What a device does in an exchange, for all parties that live on it:
///
///   1. where a counter is not as expected, fails with ProtocolError, and says and stores nothing;
///   2. for exchange e = *epoch + 1 of each party, says all its `ready` with e;
///   3. waits for each outgoing part's `ready` at e, copies it, and says its `arrived` with e; does the local copies;
///   4. waits for each incoming part's `arrived` at e, and does its copies;
///   5. *epoch = e, at the latest.
///
/// Packets are stored before their part's `ready` is there: they wait for that of e - 1 only, which exchange e - 1 has waited
/// for, as this one waits for that of e before it is over. In the place of `arrived`, which is not said then, the flag of the
/// turn tells the receiver what its packets are of, in no order to them; 4 waits for it and for them.
///
/// 2 waits for nothing, 3 waits for nothing but 2, and 4 for nothing but 3, of whatever device: the protocol of
/// docs/decisions/0010. No two copies write the same byte, and none reads what another one writes, but for 4 behind 3.
struct FusedPlan {
  std::vector<Party> parties;
  std::vector<StridedCopy> local;  ///< within the device; need no flags
  /// It takes no more room at a time than so many multiprocessors have; 0: as many as are of use. No meaning on the host.
  int multiprocessors = 0;
  /// Of the same backend and device, and outlives the exchange; null: half of the device, which two exchanges at a time may
  /// have.
  const Room* room = nullptr;
};

/// A plan that is prepared once, and run many times, one after the other, as one operation of a stream.
class FusedExchange {
 public:
  virtual ~FusedExchange() = default;
  /// Throws what streams of its own failed with, where it has any. Never blocks.
  virtual void check() {}
  /// Drops streams of its own, where it has any, with what has not started in them, as Stream's destructor does. It is not run
  /// again.
  virtual void stop() noexcept {}
};

}  // namespace halocline::device

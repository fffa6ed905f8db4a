// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/round_up.hpp"
#include "device/flag.hpp"
#include "device/strided_copy.hpp"

namespace halocline::device {

/// A receive buffer for a part that is sent as LL packets: 16 bytes that are stored and loaded as one access, 14 bytes of cells
/// and a mark of 2 bytes that indicates their arrival (docs/decisions/0036). Two slots, each of a flag followed by
/// packet_room_bytes() for each copy; exchange e uses slot e % 2. Zeros before the first exchange; only this sender writes
/// to it. A receiver that offers one has a part with the same `ready` in every exchange of the participant, even if nothing else
/// is in it. Null if there is none.
struct PacketRoom {
  std::array<std::byte*, 2> buffers{};
  [[nodiscard]] bool offered() const { return buffers[0] != nullptr; }
};

/// Bytes of a slot for a number of rows of cells, each contiguous, with address and length in multiples of 4 bytes: two packets for
/// seven words of a row, rounded up to whole kilobytes, which a warp of a GPU stores at a time.
[[nodiscard]] constexpr std::int64_t packet_room_bytes(std::int64_t row_bytes, std::int64_t rows) {
  return ((row_bytes + 27) / 28 * rows + 31) / 32 * 1024;
}
/// Bytes of a slot for this number of bytes of packets, including the padding before the next slot.
[[nodiscard]] constexpr std::int64_t packet_buffer_bytes(std::int64_t packets) {
  constexpr std::int64_t flag = sizeof(Flag);
  return flag + round_up(packets, flag);
}

class Tracer;

/// What a part of an exchange is, for a tracer.
struct TracedPart {
  std::size_t message = 0;  ///< number of the message
  int part = 0;             ///< of the message; the same at both ends
  std::string track = {};   ///< a name for what sends it, or receives it, beside other parts
};

/// Cells that a device stores into memory that other devices read.
struct OutgoingPart {
  FlagWait ready;                   ///< the memory may be written
  std::vector<StridedCopy> copies;  ///< may be empty
  FlagSignal arrived;               ///< after the last store
  /// Parts of a lower stage are sent first; several parts with one `ready` are pieces of one message.
  int stage = 0;
  /// If offered, by both ends: the copies go to a receive buffer, in rows that packets can carry, and the other end's copies
  /// are the same rows in the same order from there. A backend sends them as rows, or as packets.
  PacketRoom packets = {};
  TracedPart trace = {};
};

/// Cells that other devices store into this device's memory.
struct IncomingPart {
  FlagSignal ready;                 ///< the memory may be written; flag null if another part posts it
  FlagWait arrived;                 ///< all cells have arrived
  std::vector<StridedCopy> copies;  ///< after that: from the receive buffer to the halo; may be empty
  int stage = 0;                    ///< the sending part's
  PacketRoom packets = {};          ///< the sending part's
  TracedPart trace = {};
};

/// Cells that a device stores into one of two send buffers, from which a network engine puts them into a landing buffer of another
/// rank (docs/decisions/0066). Buffers and flags lie in memory that this rank's host and device reach; the flags are flags of turns
/// (FlagWait::odd).
struct Put {
  std::vector<StridedCopy> copies;  ///< into the send buffer of even exchanges
  std::ptrdiff_t to_odd = 0;        ///< bytes from there to the same cell in the send buffer of odd ones
  FlagSignal posted;                ///< after the last store; the engine waits for it
  /// The engine's, raised when the other side has begun this exchange and the put of the exchange before has left its buffer.
  FlagWait ready;
  int stage = 0;  ///< among puts: one of a lower stage is stored first
  TracedPart trace = {};
};

/// Cells that a network engine puts into one of two landing buffers of this device.
struct Landing {
  FlagSignal ready;                 ///< what landed in the exchange before is copied; the engine waits for it
  FlagWait arrived;                 ///< the engine's, raised when all cells have landed
  std::vector<StridedCopy> copies;  ///< after that, from the landing buffer of even exchanges to the halo
  std::ptrdiff_t to_odd = 0;        ///< bytes from there to the same cell in the landing buffer of odd ones
  int stage = 0;                    ///< the put's
  TracedPart trace = {};
};

/// A participant of exchanges, with its own epoch: the number of completed exchanges, in device memory, 0 at first.
/// Its flags carry that number, and only its exchanges advance it.
struct Participant {
  std::uint64_t* epoch = nullptr;
  std::vector<CounterCheck> expected;
  std::vector<OutgoingPart> outgoing;
  std::vector<IncomingPart> incoming;
  std::vector<Put> puts = {};
  std::vector<Landing> landings = {};
};

/// A share of the blocks that a device can have resident for kernels that wait for other devices: Backend::reserve_room().
class Room {
 public:
  virtual ~Room() = default;
};

/// What a device does in an exchange, for all its participants:
///
///   1. if a counter is not as expected, it fails with ProtocolError, and posts and stores nothing;
///   2. for exchange e = *epoch + 1 of each participant, it posts all its `ready` with e;
///   3. it waits for each outgoing part's `ready` at e, copies the part, and posts its `arrived` with e; it makes the local copies;
///   4. it waits for each incoming part's `arrived` at e, and makes its copies;
///   5. *epoch = e, at the latest.
///
/// Packets are stored before their part's `ready` has arrived: they need only the `ready` of e - 1, for which exchange e - 1 has
/// waited, as this exchange waits for the `ready` of e before its end. They have no `arrived`. Instead the flag of the slot carries
/// the token, unordered with the packets; 4 waits for it and for them.
///
/// A Put is stored and posted without waiting: the exchange before has waited for its `ready`, as this one does before its end. The
/// `ready` and `arrived` of a Landing are posted in 2 and waited for in 4.
///
/// 2 waits for nothing, 3 waits only for 2, and 4 only for 3, of any device: the protocol of
/// docs/decisions/0010. No two copies write the same byte, and no copy reads what another one writes, except 4 after 3.
struct FusedPlan {
  std::vector<Participant> participants;
  std::vector<StridedCopy> local;  ///< within the device; need no flags
  /// The most multiprocessors that it occupies at a time; 0: as many as are useful. No meaning on the host.
  int multiprocessors = 0;
  /// Of the same backend and device; must outlive the exchange. Null: half of the device, so that two exchanges can run at a
  /// time.
  const Room* room = nullptr;
  /// Whether the next kernel of the stream, launched for that (programmatic dependent launch), may become resident while the exchange is
  /// under way, and not only after its last arrival. That kernel may fill the device: so only where the exchange ends without another
  /// kernel of this device, which would then not become resident. No meaning on the host.
  bool next_may_start = false;
  /// Records the operations that the exchange consists of; null for none. Must outlive the exchange.
  Tracer* tracer = nullptr;
  std::string track = {};                        ///< name of the stream that runs it, for the tracer
  std::vector<std::size_t> local_messages = {};  ///< numbers of the messages that `local` consists of
};

/// A plan that is prepared once, and run many times, one run after another, as one operation of a stream.
class FusedExchange {
 public:
  virtual ~FusedExchange() = default;
  /// Throws the error of its own streams, if it has any that failed. Never blocks.
  virtual void check() {}
  /// Room for the time stamps of one run, if the backend runs the plan as a single operation that records its parts for the plan's
  /// tracer. Called before that run, within the tracer's operation. Null for none, or if the room was used up since the trace began.
  [[nodiscard]] virtual std::uint64_t* stamps() { return nullptr; }
  /// Drops its own streams, if it has any, with the work in them that has not started, as Stream's destructor does. It must not be
  /// run again.
  virtual void stop() noexcept {}
};

}  // namespace halocline::device

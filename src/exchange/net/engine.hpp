// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "device/flag.hpp"
#include "exchange/detail/late_messages.hpp"
#include "halocline/ids.hpp"

namespace halocline::exchange::net {

/// Precedes the cells in a slot.
struct alignas(64) Header {
  std::uint64_t token = 0;
  std::uint64_t epoch = 0;
};

/// The room for cells in a slot that is only used for its header: an error's text fits in.
inline constexpr std::size_t text_bytes = 256;

/// A buffer that an engine sends from, or lands in: a Header and what follows it. Exchange e of a port uses slot e % 2.
struct Slot {
  /// The token and epoch of the exchange. Sending: set by the device when the cells are in the slot. Landing: raised by the engine when
  /// all bytes have landed.
  device::Flag* flag = nullptr;
  std::span<std::byte> message;
};

/// One end of a port: what a rank puts into memory of another one, and what that one puts into its memory, in each exchange. One of
/// the two has cells, the other is a header alone (`ready`).
struct PortEnd {
  std::string label;  ///< for errors: "subdomain 3 -> 5 (net, rank 0 -> rank 2)"
  rank_id peer;
  int out_tag = 0;
  int in_tag = 0;  ///< the peer's out_tag
  std::array<Slot, 2> out;
  std::array<Slot, 2> in;
};

/// Moves slots between ranks, beside the devices (docs/decisions/0066). Puts of several ports, and the two slots of one, may overtake each
/// other; a flag is raised behind its own slot's bytes only. The flag of exchange e is also behind the completion of this end's put of
/// e - 1: the device may then overwrite that put's slot.
///
/// Calls no device. One thread at a time calls it, except announce().
class Engine {
 public:
  virtual ~Engine() = default;
  /// Both ends open a port, before progress(). All memory must outlive the engine. Returns the port's number on this rank.
  virtual std::size_t open(const PortEnd& end) = 0;
  /// The bytes behind the header in puts with a token. Any thread; before the device posts such a put.
  virtual void announce(std::size_t port, std::uint64_t token, std::size_t bytes) = 0;

  /// Looks once at all ports; true if something has moved. Never blocks. Throws CommunicationError that names the port if the other
  /// end has given up or cannot be reached.
  virtual bool progress() = 0;
  /// Whether a device of this rank has begun an exchange that is not over.
  [[nodiscard]] virtual bool under_way() const = 0;
  /// Whether exchanges up to this one are over at all ports of this rank.
  [[nodiscard]] virtual bool done(std::uint64_t epoch) const = 0;
  /// Adds the labels of the other ports, with what each of them waits for.
  virtual void list_late(std::uint64_t epoch, LateMessages& messages) const = 0;
  /// Makes the other ends of all ports fail, with a reason, in this exchange or their next. progress() must not be called any more;
  /// flush() until it returns true, or for as long as one can wait.
  virtual void give_up(std::string_view reason) = 0;
  [[nodiscard]] virtual bool flush() = 0;
  /// For the end: takes leave of all other ends, when the exchanges are over. True when they have left, too, and
  /// no put is under way; call it until then.
  [[nodiscard]] virtual bool leave() = 0;
};

}  // namespace halocline::exchange::net

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "exchange/array.hpp"
#include "halocline/direction.hpp"
#include "halocline/routing.hpp"
#include "halocline/tuning.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

namespace halocline::device {
class Tracer;
}

namespace halocline::exchange {

/// How other ranks map an array: see device::ExportedRange.
struct ExportedArray {
  std::vector<device::MemoryHandle> pieces;
  std::int64_t origin = 0;  ///< where Array::origin is, in bytes from the first byte that is mapped
};

/// A subdomain of this rank with its memory.
struct LocalSubdomain {
  subdomain_id id;
  int device = 0;  ///< the backend's ordinal
  /// arrays[field][buffer]: every field has at least one buffer; all buffers of a field have one shape.
  std::vector<std::vector<Array>> arrays;
  /// Where halo cells are written, likewise; empty: in the same arrays.
  std::vector<std::vector<Array>> received{};
  /// The allocation of the arrays that halo cells are written in, which other processes may map; null where some of them are the user's
  /// own and cannot be exported.
  const device::ShareableBuffer* allocation = nullptr;
  /// Those of the user's own among them that other ranks may map, by field and buffer; no pieces: it is in the allocation.
  std::vector<std::vector<ExportedArray>> exported{};
};

/// Which fields are exchanged, in which of their buffers, and how much of them. All ranks must select the same.
struct Selection {
  struct Item {
    static constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max();
    field_id field;
    int buffer = 0;
    /// The directions in which cells are sent.
    Directions directions = Directions().set();
    /// Halo cells are filled up to this distance from the owned cells; at least 1.
    std::int64_t depth = whole;
    /// Swaps of the field that captured steps contain before this exchange. Graphs do not count swaps on the device, because they
    /// contain whole cycles of them.
    int swapped = 0;
    friend bool operator==(const Item&, const Item&) = default;
  };
  std::vector<Item> items;  ///< by field, each at most once

  /// A hash that both ends of a message compare before a byte is written.
  [[nodiscard]] std::uint64_t token() const;
  friend bool operator==(const Selection&, const Selection&) = default;
};

using Messages = routing::Messages;

class Exchange;
class Recorder;

/// All decisions of planning and routing, and the memory. References must outlive the Exchange.
struct Setup {
  comm::RankGroup* comm = nullptr;       ///< all ranks of the domain
  comm::RankGroup* node_comm = nullptr;  ///< the ranks of this rank's node
  comm::RankGroup* parent = nullptr;     ///< also poisoned by a failure, so that MPI is not finalised; may be null
  device::Backend* backend = nullptr;
  const partition::Geometry* geometry = nullptr;
  const placement::Placement* placement = nullptr;
  /// For each message that a local subdomain sends or receives, its route; the same at both ends.
  std::vector<routing::Route> routes;
  std::vector<LocalSubdomain> subdomains;
  Tuning tuning;
  /// The same on all ranks.
  Messages messages = Messages::by_neighbour;
  /// If routes may be by net, on any rank: the engine that is wanted; the same on all ranks.
  std::optional<routing::NetEngine> network;
  /// Whether routes may be by nccl, on any rank; the same on all ranks.
  bool communicators = false;
  /// Finds work that is not ordered with exchanges: halos are filled with 0xff bytes (NaN) when an exchange starts, so that
  /// work that reads them too early reads NaN; and finish() waits until all work is done, and throws ProtocolError if cells
  /// were written while they were sent, or a halo differs from what was sent. Exchanges cannot be captured, and take many times
  /// as long. The same on all ranks.
  bool validate_ordering = false;
  /// How long a step of an exchange may take before it is an error.
  Duration timeout = std::chrono::seconds(120);
  /// Messages of a subdomain to itself by `self` are left out: who needs these cells reads them where they are.
  bool self_in_place = false;
  /// An exchange that is never under way at the same time as this one, on any rank: the two share their room on
  /// devices and the abort word, so that a failure of one ends the waits of both.
  const Exchange* in_turn_with = nullptr;
  /// Records when the operations of exchanges run; null for none. Must outlive the exchange.
  device::Tracer* tracer = nullptr;
  /// Notes what the exchange does, and reads its state for recordings; null for none. Must outlive the exchange.
  Recorder* recorder = nullptr;
  std::string recorded_as = "exchange";  ///< there
};

/// Which work may run between the start of an exchange and its end.
enum class Overlap : int {
  possible,    ///< any
  none,        ///< nothing is enqueued in the streams between the two, so that the exchange itself may run in them
  next_kernel  ///< the same, but the next kernel in a stream starts with the exchange and awaits its end
};
/// Whether the exchange runs in the users' streams.
constexpr bool in_order(Overlap overlap) { return overlap != Overlap::possible; }

/// A message that this rank sends or receives, for a trace.
struct TracedMessage {
  subdomain_id from;
  subdomain_id to;
  std::optional<Direction> direction;  ///< set if it has one direction only
  routing::Transport transport;
  rank_id sender;
  rank_id receiver;
  std::int64_t bytes = 0;  ///< of all fields
  bool follows = false;    ///< it travels in a bundle, which another message counts for
};

/// How long the host waited for a message that this rank receives.
struct Arrival {
  subdomain_id from;
  subdomain_id to;
  Duration
      least{};  ///< from finish() to the message's completion, of the timed exchanges; of the last part, if it has several
};

/// What one transport sends from this rank in one exchange of all fields.
struct Traffic {
  routing::Transport transport;
  std::int64_t messages = 0;  ///< 0 if other ranks of the node send them, in bundles
  std::int64_t bytes = 0;
};

/// Executes exchanges by the routes of the plan. Makes no decisions.
///
/// One thread of each rank calls it. After a failure all later calls throw that error again, and an abort word ends the waits of the
/// other ranks of the node; ranks of other nodes end at their own deadline, or where messages by net connect them with a rank of this
/// node, at once.
class Exchange {
 public:
  /// Collective: allocates buffers, exchanges memory handles and maps. Throws the same error on all ranks, unless communication
  /// between them fails; memory that other ranks may then still write to is leaked.
  explicit Exchange(Setup setup);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Does not communicate. An exchange that was not closed is abandoned, which is logged.
  ~Exchange();

  /// Enqueues an exchange after the work in the streams, one for each local subdomain in Setup's order, and
  /// returns. Until finish(), owned cells of the selected fields may be read, but cells that are sent must not be written, and
  /// halo cells neither read nor written. Throws CapabilityError, before anything
  /// is enqueued, if a stream is capturing and a route cannot be captured.
  void start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap = Overlap::possible);
  /// Makes progress on messages that need the host; true if finish() would not block. Never blocks.
  bool progress();
  /// Whether an exchange was started and not finished.
  [[nodiscard]] bool under_way() const;
  /// Work enqueued after this sees full halos and may overwrite sent cells. Blocks the host until all messages that
  /// need the host are under way (none if all routes are device-driven), for at most the timeout; then throws
  /// DeadlineError that names each late pair, its transport and its state.
  void finish();
  /// The same; calls arrived() at its begin, and whenever the host has completed a message since. An exception of arrived()
  /// is a failure of the exchange.
  void finish(const std::function<void()>& arrived);

  // For work that waits for a part of a halo only. place: of the local subdomain in Setup's order. During an exchange that was
  // started with Overlap::possible.

  /// The sides of the halo that exchanges fill, and the sides among them that devices fill without the host.
  [[nodiscard]] Directions filled(std::size_t place) const;
  [[nodiscard]] Directions filled_by_device(std::size_t place) const;
  /// The sides whose messages the host has not completed yet.
  [[nodiscard]] Directions awaited(std::size_t place) const;
  /// Orders later work in a stream of the subdomain's device after the arrival of these sides, none of them awaited, and after
  /// the work that was in the subdomain's stream when the exchange was started.
  void join(std::size_t place, const Directions& sides, device::Stream& stream) const;

  /// Enqueues in each stream that the field's next buffer is the current one. When an exchange runs, it compares its
  /// selection with that: a graph that was captured with one buffer and is launched while another is current
  /// fails with ProtocolError.
  void swapped(std::span<device::Stream* const> streams, field_id field);
  /// Enqueues the same comparison for other work on the selected buffers. what: "reduce()", for the error.
  void expect(std::span<device::Stream* const> streams, const Selection& selection, std::string_view what);

  /// Throws the error of an earlier exchange that failed in one of these streams or its own. Never blocks.
  void check(std::span<device::Stream* const> streams);
  /// An error of a stream: where it is a disagreement about one of this exchange's selections, also with what the other side exchanges;
  /// otherwise as it is.
  [[nodiscard]] std::exception_ptr explained(std::exception_ptr error) const noexcept;
  /// Runs a step that enqueues work or waits for it; an exception of it is a failure of the exchange.
  void guard(const std::function<void()>& step);
  /// Throws CommunicationError if another rank of the node has failed or left, before `what` is enqueued.
  void check_others(std::string_view what);
  /// Null if it has not failed.
  [[nodiscard]] std::exception_ptr failure() const;
  /// Forgets an exchange that was started in a capture that has ended since.
  void forget_captured();
  /// Whether all routes of all ranks can be part of a captured graph; otherwise names the first that cannot. The same on all ranks.
  [[nodiscard]] Verdict capturable() const;
  /// Whether streams of several subdomains of this rank wait for each other by events, so that they can be captured only
  /// together.
  [[nodiscard]] bool joins_devices() const;
  [[nodiscard]] std::vector<Traffic> traffic() const;
  /// By the number that the tracer's operations have.
  [[nodiscard]] std::vector<TracedMessage> messages() const;

  /// Whether the arrivals of the exchanges that start from now on are timed: those that the host completes.
  void time_arrivals(bool on);
  /// Of messages that were timed at least once.
  [[nodiscard]] std::vector<Arrival> arrivals() const;

  /// Collective: waits until all work in these streams and its own is done, unmaps, agrees, and frees.
  void close(std::span<device::Stream* const> streams);
  /// For a rank that leaves without close(), or after a failure: writes the reason ("left ...") for the ranks of the node, drops its
  /// own streams, and leaks everything else, as other ranks or work under way may still use it. Does not communicate. No other
  /// function may be called afterwards.
  void abandon(std::string_view why) noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halocline::exchange

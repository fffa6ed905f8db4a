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

#include "device/backend.hpp"
#include "halocline/communicator.hpp"
#include "halocline/direction.hpp"
#include "halocline/routing.hpp"
#include "halocline/tuning.hpp"
#include "partition/halo.hpp"
#include "placement/placement.hpp"

namespace halocline::exchange {

/// One array of one field of one local subdomain, halo included. Cell p (global coordinates) of component c is at
/// origin + (p - owned.lo) . stride_bytes + c * component_stride_bytes, owned being Geometry::owned(field, subdomain).
struct Array {
  std::byte* origin = nullptr;  ///< the first owned cell
  std::array<std::int64_t, 3> stride_bytes{};
  std::int64_t component_stride_bytes = 0;
  /// Beside the halo, below and above each row: bytes that belong to no cell, and that an exchange may write to.
  std::array<std::int64_t, 2> spare_bytes{};
};

/// A subdomain of this rank with its memory.
struct LocalSubdomain {
  subdomain_id id;
  int device = 0;  ///< the backend's ordinal
  /// arrays[field][buffer]: every field has at least one buffer; all buffers of a field have one shape.
  std::vector<std::vector<Array>> arrays;
  /// The allocation that holds all arrays, where others may map it; null where they are the user's own.
  const device::ShareableBuffer* allocation = nullptr;
};

/// Which fields are exchanged, in which of their buffers, and how much of them. All ranks must select the same.
struct Selection {
  struct Item {
    static constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max();
    field_id field;
    int buffer = 0;
    /// Towards these directions kernels have stored the cells themselves, through outlets, so that nothing is left of them but to
    /// say so; see Exchange::outlet.
    Directions stored = {};
    /// The directions in which cells are sent.
    Directions directions = Directions().set();
    /// Halo cells are filled up to this distance from the owned cells; at least 1.
    std::int64_t depth = whole;
    friend bool operator==(const Item&, const Item&) = default;
  };
  std::vector<Item> items;  ///< by field, each at most once

  /// What both ends of a message compare before a byte is written.
  [[nodiscard]] std::uint64_t token() const;
  friend bool operator==(const Selection&, const Selection&) = default;
};

using Messages = routing::Messages;

/// Everything that was decided, and the memory. References must outlive the Exchange.
struct Setup {
  comm::Communicator* comm = nullptr;       ///< all ranks of the domain
  comm::Communicator* node_comm = nullptr;  ///< the ranks of this rank's node
  comm::Communicator* parent = nullptr;     ///< poisoned too by a failure, so that nobody finalises on it; may be null
  device::Backend* backend = nullptr;
  const partition::Geometry* geometry = nullptr;
  const placement::Placement* placement = nullptr;
  /// For each message that a local subdomain sends or receives, its route; the same at both ends.
  std::vector<routing::Route> routes;
  std::vector<LocalSubdomain> subdomains;
  Tuning tuning;
  /// The same on all ranks.
  Messages messages = Messages::by_neighbour;
  /// To find work that is not ordered with exchanges: halos are filled with 0xff bytes (NaN) when an exchange starts, which
  /// work that reads them too early then sees; and finish() waits until all is done, and throws ProtocolError where cells
  /// that are sent were written meanwhile, or a halo is not what was sent. Exchanges cannot be captured, and take many times
  /// as long. The same on all ranks.
  bool validate_ordering = false;
  /// How long a step of an exchange may be late before it is an error.
  Duration timeout = std::chrono::seconds(120);
};

/// Cells of a local subdomain as they lie in a neighbour's halo: a store there is a store of the neighbour's.
struct Outlet {
  Box cells;    ///< owned cells of the subdomain, in its own coordinates
  Array array;  ///< origin: of cells.lo
};

/// Whether other work may run between the start of an exchange and its end.
enum class Overlap {
  possible,
  none  ///< nothing is enqueued in the streams between the two, so that the exchange itself may run in them
};

/// What one transport carries out of this rank in one exchange of all fields.
struct Traffic {
  routing::Transport transport;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

/// Moves halos as the routes say, as often as asked. Never decides again.
///
/// One thread a rank calls it. After a failure all later calls throw that error again, and an abort word ends the waits of the
/// other ranks of the node; those of other nodes find out at their deadline.
class Exchange {
 public:
  /// Collective: allocates buffers, exchanges memory handles and maps. Throws the same error on all ranks, but where the ranks
  /// lose touch; what others may then write into is leaked.
  explicit Exchange(Setup setup);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Does not communicate. What was not closed is abandoned, and logged.
  ~Exchange();

  /// Enqueues an exchange behind the work that is in the streams, one for each local subdomain in Setup's order, and
  /// returns. From here to finish(), owned cells of the selected fields may be read but those within reach of a
  /// neighbour's halo not written, and halo cells neither read nor written. Throws CapabilityError, before anything
  /// is enqueued, where a stream is capturing and a route cannot be captured.
  void start(std::span<device::Stream* const> streams, const Selection& selection, Overlap overlap = Overlap::possible);
  /// Makes the host's part of progress; true once finish() would not wait on the host. Never blocks.
  bool progress();
  /// Whether one was started and not finished.
  [[nodiscard]] bool under_way() const;
  /// Work enqueued after this sees full halos and may overwrite sent cells. Blocks the host until all messages that
  /// need the host are on their way (none where all routes are device-driven); at most the timeout, then throws
  /// DeadlineError that names each late pair, its transport and its state.
  void finish();
  /// The same; calls arrived() when it begins, and whenever the host's part of some message was done since. What that throws
  /// is a failure of the exchange.
  void finish(const std::function<void()>& arrived);

  // Of the halo of the local subdomain at a place in Setup's order, in the exchange under way: for work that does not wait for
  // all of it. An exchange that was started with Overlap::possible.

  /// The sides that exchanges fill, and of those the sides that devices fill without the host.
  [[nodiscard]] Directions filled(std::size_t place) const;
  [[nodiscard]] Directions filled_by_device(std::size_t place) const;
  /// The sides that the host has still to see arrive.
  [[nodiscard]] Directions awaited(std::size_t place) const;
  /// Enqueues in a stream of the subdomain's device that later work sees the halo on these sides, none of them awaited. It
  /// comes behind all that was in the subdomain's stream when the exchange was started, too.
  void join(std::size_t place, const Directions& sides, device::Stream& stream) const;

  /// Where kernels of the local subdomain at a place in Setup's order reach the cells of a field's buffer that the neighbour in a
  /// direction has in its halo; none where there is no neighbour, no halo, or a route whose memory is not mapped. What is stored
  /// there between two exchanges, behind the first and before the second, has arrived with the second, which takes it by
  /// Selection::Item::stored. Nobody may read that buffer's halos since the first was started, in no subdomain.
  [[nodiscard]] std::optional<Outlet> outlet(std::size_t place, field_id field, int buffer, Direction direction) const;

  /// Enqueues in each stream that the field's next buffer is the current one from there on. Exchanges compare their
  /// selection with that, when they run: a graph that was captured with one buffer and is replayed with another current
  /// fails with ProtocolError.
  void swapped(std::span<device::Stream* const> streams, field_id field);

  /// Throws what an earlier exchange failed with in one of these streams or its own. Never blocks.
  void check(std::span<device::Stream* const> streams);
  /// Runs a step that enqueues work or waits for it; what it throws is a failure of the exchange.
  void guard(const std::function<void()>& step);
  /// Throws CommunicationError where another rank of the node has failed or left, before `what` is enqueued.
  void check_others(std::string_view what);
  /// Null where it has not failed.
  [[nodiscard]] std::exception_ptr failure() const;
  /// Drops the exchange that was started in a capture which has ended meanwhile.
  void forget_captured();
  /// Whether all of this rank's routes can be part of a captured graph; otherwise names the first that cannot.
  [[nodiscard]] Verdict capturable() const;
  /// Whether it has streams of several of this rank's subdomains wait for each other by events, so that they can be captured only
  /// together.
  [[nodiscard]] bool joins_devices() const;
  [[nodiscard]] std::vector<Traffic> traffic() const;

  /// Collective: waits until all work in these streams and its own is done, unmaps, agrees, and frees.
  void close(std::span<device::Stream* const> streams);
  /// For a rank that leaves without close(), or after a failure: gives the ranks of the node a reason ("left ..."), drops its own
  /// streams, and leaks everything else, which other ranks or work under way may still use. Does not communicate; nothing else
  /// may be called afterwards.
  void abandon(std::string_view why) noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halocline::exchange

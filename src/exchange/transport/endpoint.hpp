// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/detail/program.hpp"
#include "exchange/detail/site.hpp"
#include "exchange/wire.hpp"

namespace halocline::exchange {

/// For one of the exchange's own streams; may reset it.
using VisitStream = std::function<void(std::unique_ptr<device::Stream>&)>;

/// Who moves an end's messages.
enum class Drive {
  fused,      ///< its device, as a part of one operation; see Fusion
  scheduled,  ///< its device, by operations of streams; see Schedule
  host,       ///< its device and the host, which lets all others proceed while it waits
};

/// One end of one message's route. Set up once (reserve, publish, connect), prepared once for each program, then driven as
/// it says. No call blocks.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Claims flags and landing buffers in this side's mailbox, before it is allocated.
  virtual void reserve() {}
  /// What the other end has to know; the mailbox is allocated by now.
  virtual void publish(Writer& /*writer*/) {}
  virtual void connect(Reader& /*reader*/) {}

  virtual void prepare(const Program& /*program*/) {}

  [[nodiscard]] virtual Drive drive() const = 0;

  /// Where the sender's device reaches the receiver's cells of a segment of its message, if it does (senders).
  [[nodiscard]] virtual std::optional<Outlet> outlet(const partition::Segment& /*segment*/, int /*buffer*/) const {
    return std::nullopt;
  }

  // Drive::fused.

  /// Adds what it does in an exchange to what its subdomain does, or to what needs no flags.
  virtual void contribute(const Program& /*program*/, device::Party& /*party*/,
                          std::vector<device::StridedCopy>& /*local*/) {}

  // Drive::scheduled: what a schedule enqueues, for all ends of a rank, in this order.

  /// Flags that say "this side's halos may be written" (receivers).
  virtual void collect_ready(const Program& /*program*/, std::vector<device::FlagSignal>& /*signals*/) {}
  /// Enqueues what sends, behind Site::open, in streams of its own.
  virtual void send(const Program& /*program*/) {}
  /// What this side's subdomain joins before it waits for arrivals: its own sending, or a copy of this process into its
  /// landing buffer. Null where there is nothing.
  [[nodiscard]] virtual const device::Event* sent() const { return nullptr; }
  /// Whether it has events of two subdomains of this rank wait for each other, so that they cannot be captured one by one.
  [[nodiscard]] virtual bool joins_sites() const { return false; }
  /// Flags that say that a message is there (receivers).
  virtual void collect_arrived(const Program& /*program*/, std::vector<device::FlagWait>& /*waits*/) {}
  /// From landing buffers to halos, once all has arrived.
  virtual void collect_unpack(const Program& /*program*/, std::vector<device::StridedCopy>& /*copies*/) {}

  // Drive::host: start, progress until it returns true, join; for each exchange. It cannot be captured in a graph.

  virtual void start(const Program& /*program*/) {}
  /// The host's part: true when nothing is left of it in this exchange.
  [[nodiscard]] virtual bool progress() { return true; }
  /// Enqueues in the user's stream of this side's subdomain what makes later work wait for this end.
  virtual void join(device::Stream& /*user*/) {}
  /// What it waits for at present: "packing", "message under way", ...
  [[nodiscard]] virtual std::string state() const { return "in device order"; }

  /// Calls visit for each stream of this end's own.
  virtual void each_stream(const VisitStream& /*visit*/) {}
};

/// The two ends; the one that is not of this rank is null.
struct Ends {
  std::unique_ptr<Endpoint> sender;
  std::unique_ptr<Endpoint> receiver;
};

/// A message that this rank sends, receives, or both, with its route.
struct Channel {
  partition::Message message;
  routing::Transport transport = routing::Transport::mpi_staged;
  bool packets = true;  ///< routing::Route::packets
  rank_id sender;
  rank_id receiver;
  /// Where a message holds one direction only.
  std::optional<Direction> direction = std::nullopt;
  /// Tells this message from the others between the two ranks; both ends count alike.
  int tag = 0;
  /// For people: "subdomain 3 -> 5 (direct, rank 0 -> rank 2)", "subdomain 3 -> 5 towards (+1, 0, 0) (...)".
  [[nodiscard]] std::string label() const;
};

/// What was prepared for each program, by Program::index.
template <typename T>
class Prepared {
 public:
  template <typename Make>
  void make(const Program& program, Make&& make) {
    if (items_.size() <= program.index) items_.resize(program.index + 1);
    items_[program.index] = make();
  }
  [[nodiscard]] T& of(const Program& program) { return items_[program.index]; }
  [[nodiscard]] const T& of(const Program& program) const { return items_[program.index]; }
  [[nodiscard]] const std::vector<T>& all() const { return items_; }

 private:
  std::vector<T> items_;
};

}  // namespace halocline::exchange

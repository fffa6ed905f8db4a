// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/serialise.hpp"
#include "exchange/detail/exchange_plan.hpp"
#include "exchange/detail/subdomain_state.hpp"

namespace halocline::exchange {

/// Visits one of the exchange's own streams; may reset it.
using VisitStream = std::function<void(std::unique_ptr<device::Stream>&)>;

class FusedEndpoint;
class ScheduledEndpoint;
class HostEndpoint;

/// One end of one message's route. Set up once (reserve, publish, connect), prepared once for each plan, then driven by the device,
/// as one operation (FusedEndpoint) or by stream operations (ScheduledEndpoint), or by the host (HostEndpoint). No call blocks.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Reserves flags and receive buffers in this side's mailbox, before it is allocated.
  virtual void reserve() {}
  /// Writes what the other end needs; the mailbox is allocated.
  virtual void publish(ByteWriter& /*writer*/) {}
  virtual void connect(ByteReader& /*reader*/) {}

  virtual void prepare(const ExchangePlan& /*plan*/) {}

  /// Adds the flags that this end waits for, in its side's mailbox, for the recorder; none if it waits for no flag. Connected.
  virtual void watch(std::vector<const device::Flag*>& /*flags*/) const {}

  /// Calls visit for each stream that this end owns.
  virtual void each_stream(const VisitStream& /*visit*/) {}

  // What it is: one of these, the others return null.
  [[nodiscard]] virtual FusedEndpoint* fused() { return nullptr; }
  [[nodiscard]] virtual ScheduledEndpoint* scheduled() { return nullptr; }
  [[nodiscard]] virtual HostEndpoint* host() { return nullptr; }
};

/// Driven by the device, as a part of its one operation; see Fusion.
class FusedEndpoint : public Endpoint {
 public:
  [[nodiscard]] FusedEndpoint* fused() final { return this; }

  /// Adds its part of an exchange to its subdomain's, or to the copies that need no flags.
  virtual void contribute(const ExchangePlan& plan, device::Participant& participant,
                          std::vector<device::StridedCopy>& local) = 0;
};

/// Driven by the device, by copy engines: what a Schedule enqueues, for all ends of a rank, in this order.
class ScheduledEndpoint : public Endpoint {
 public:
  [[nodiscard]] ScheduledEndpoint* scheduled() final { return this; }

  /// The flags by which this side posts that its halos may be written (receivers).
  virtual void collect_ready(const ExchangePlan& /*plan*/, std::vector<device::FlagSignal>& /*signals*/) {}
  /// Whether nothing reads the subdomain's epoch before its messages are packed, so that packing can count the exchange.
  [[nodiscard]] virtual bool may_count() const { return false; }
  /// Enqueues sending after SubdomainState::open, in streams of its own; the state's fused exchange has been enqueued if it waits.
  virtual void send(const ExchangePlan& /*plan*/) {}
  /// What this side's subdomain waits for before it waits for arrivals: its own sending, or a copy of this process into its
  /// receive buffer. Null if there is nothing.
  [[nodiscard]] virtual const device::Event* sent() const { return nullptr; }
  /// Whether events of two subdomains of this rank wait for each other, so that they can only be captured together.
  [[nodiscard]] virtual bool joins_sites() const { return false; }
  /// The flags that indicate arrival (receivers).
  virtual void collect_arrived(const ExchangePlan& /*plan*/, std::vector<device::FlagWait>& /*waits*/) {}
  /// The headers of messages that have arrived with sent(), which are compared when they are unpacked (receivers).
  virtual void collect_headers(const ExchangePlan& /*plan*/, device::HeaderCheck& /*check*/) {}
  /// Copies from receive buffers to halos, after all arrivals.
  virtual void collect_unpack(const ExchangePlan& /*plan*/, std::vector<device::StridedCopy>& /*copies*/) {}
};

/// Driven by the device and the host, which drives all such ends in turn: start, progress until it returns true, join; for each
/// exchange. It cannot be captured in a graph.
class HostEndpoint : public Endpoint {
 public:
  [[nodiscard]] HostEndpoint* host() final { return this; }

  /// in_order: the user's stream of this side's subdomain, in which the end may enqueue, too; null if other work may run beside the
  /// exchange.
  virtual void start(const ExchangePlan& plan, device::Stream* in_order) = 0;
  /// The host's part: true when it is complete in this exchange.
  [[nodiscard]] virtual bool progress() = 0;
  /// Orders later work in the user's stream of this side's subdomain after this end.
  virtual void join(device::Stream& user) = 0;
  /// What it waits for at present: "packing", "message under way", ...
  [[nodiscard]] virtual std::string state() const = 0;
};

/// The two ends; the end of another rank is null.
struct Ends {
  std::unique_ptr<Endpoint> sender;
  std::unique_ptr<Endpoint> receiver;
};

/// A message that this rank sends, receives, or both, with its route.
struct Channel {
  partition::Message message;
  routing::Transport transport = routing::Transport::mpi_staged;
  bool packets = true;   ///< routing::Route::packets
  bool in_place = true;  ///< routing::Route::in_place
  rank_id sender;
  rank_id receiver;
  /// Set if a message has one direction only.
  std::optional<Direction> direction = std::nullopt;
  /// Distinguishes this message from others between the two ranks; both ends number messages in the same way.
  int tag = 0;
  /// It travels in a bundle, behind another message or with another rank's.
  bool follows = false;
  std::size_t number = 0;  ///< among the rank's messages, for a tracer
  /// Bytes that its transport sends in an exchange of all fields.
  [[nodiscard]] std::int64_t bytes() const;
  /// For people: "subdomain 3 -> 5 (direct, rank 0 -> rank 2)", "subdomain 3 -> 5 towards (+1, +0, +0) (...)".
  [[nodiscard]] std::string label() const;
  /// The name of a track: "send 3 -> 5 (direct)", verb being "send" or "receive".
  [[nodiscard]] std::string track(const char* verb) const;
};

/// Describes an operation on one message in a stream of a device (-1: by the host). Returns its number, 0 if there is no tracer.
std::size_t describe(const Context& context, device::Work work, int device, const Channel& channel, const char* verb,
                     std::int64_t bytes = 0);

/// What was prepared for each plan, by ExchangePlan::index.
template <typename T>
class Prepared {
 public:
  template <typename Make>
  void make(const ExchangePlan& plan, Make&& make) {
    if (items_.size() <= plan.index) items_.resize(plan.index + 1);
    items_[plan.index] = make();
  }
  [[nodiscard]] T& of(const ExchangePlan& plan) { return items_[plan.index]; }
  [[nodiscard]] const T& of(const ExchangePlan& plan) const { return items_[plan.index]; }
  [[nodiscard]] const std::vector<T>& all() const { return items_; }

 private:
  std::vector<T> items_;
};

}  // namespace halocline::exchange

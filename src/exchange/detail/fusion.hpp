// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// The part of an exchange that a device executes as one operation (device::FusedPlan), for all fused endpoints of its
/// subdomains. One operation for each device, so that no two on one device can wait for each other.
class Fusion {
 public:
  /// A subdomain of the device.
  struct Member {
    SubdomainState* state = nullptr;
    std::size_t place = 0;  ///< its position among the rank's subdomains, and so among the rank's streams
    struct Fused {
      FusedEndpoint* endpoint;
      const Channel* channel;
    };
    std::vector<Fused> ends;
    bool waits = false;  ///< for other devices
  };
  /// LocalEnds, ends and context must outlive this and keep their addresses.
  Fusion(Context& context, std::vector<Member> members);

  /// Whether it is a part of a schedule: if its only member is scheduled, one launch executes both.
  [[nodiscard]] bool scheduled() const { return members_.size() == 1 && members_.front().state->scheduled; }

  /// Once for each plan.
  void prepare(const ExchangePlan& plan);

  // If it is scheduled: send() and what prepares it.

  void prepare_to_send(const ExchangePlan& plan);
  /// Enqueues an exchange after SubdomainState::open, concurrently with the sending ends.
  void send(const ExchangePlan& plan);
  /// Whether it waits for other devices.
  [[nodiscard]] bool waits() const {
    return std::ranges::any_of(members_, [](const Member& member) { return member.waits; });
  }
  /// Reached when the exchange that send() enqueued is done.
  [[nodiscard]] const device::Event& sent() const { return *done_; }

  // If it is not scheduled.

  /// Enqueues an exchange after the work in the members' streams. With in_order(overlap) it runs in one of these, which saves
  /// two waits between streams; otherwise in a stream of its own.
  void start(const ExchangePlan& plan, std::span<device::Stream* const> users, Overlap overlap);
  /// Orders later work in the members' streams after it.
  void join(std::span<device::Stream* const> users) const;
  /// The same for another stream of the device, if it was started with Overlap::possible.
  void join(device::Stream& stream) const { stream.wait(*done_); }
  [[nodiscard]] bool has(const SubdomainState& state) const;

  void each_stream(const VisitStream& visit) { visit(stream_); }
  /// Throws the error of the operation's streams if they failed. Never blocks.
  void check();
  /// Drops these streams, with the work in them that has not started.
  void stop() noexcept;

 private:
  /// An exchange, made when first run: for Overlap::none one that uses the whole device, for others one that leaves room for kernels.
  struct Form {
    std::unique_ptr<device::FusedExchange> made;
    std::size_t operation = 0;  ///< for the tracer
  };
  using Forms = std::array<Form, 3>;  ///< by Overlap
  /// Whether messages by nccl, for which it does not wait, move at the same time.
  [[nodiscard]] bool is_beside_nccl() const;
  [[nodiscard]] Form& form(const ExchangePlan& plan, Overlap overlap);
  void run(const ExchangePlan& plan, Overlap overlap, device::Stream& in);
  [[nodiscard]] device::FusedPlan fused_plan(const ExchangePlan& plan, Overlap overlap) const;
  [[nodiscard]] std::string track(Overlap overlap) const;

  Context* context_;
  int device_;
  std::vector<Member> members_;
  std::shared_ptr<device::Room> room_;  ///< null if no other exchange runs concurrently, or the device needs none
  Prepared<Forms> exchanges_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<std::unique_ptr<device::Event>> begun_;  ///< by member: after the work that its part follows
  std::unique_ptr<device::Event> done_;
  device::Stream* carrier_ = nullptr;  ///< in which the latest exchange runs
};

}  // namespace halocline::exchange

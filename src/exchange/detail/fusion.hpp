// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "exchange/transport/endpoint.hpp"

namespace halocline::exchange {

/// What the subdomains of one device do in an exchange as one operation of it (device::FusedPlan): all of their ends with
/// Drive::fused. One operation a device, so that no two on one device can wait for each other.
class Fusion {
 public:
  /// A subdomain of the device.
  struct Member {
    Site* site = nullptr;
    std::size_t place = 0;  ///< among the rank's subdomains, and so among its streams
    std::vector<Endpoint*> ends;
    bool waits = false;  ///< for other devices
  };
  /// Sites, ends and context outlive this, at their addresses.
  Fusion(Context& context, std::vector<Member> members);

  /// Whether it is a part of what a schedule does: where its only member is scheduled, one launch does both.
  [[nodiscard]] bool scheduled() const { return members_.size() == 1 && members_.front().site->scheduled; }

  void prepare(const Program& program);
  /// Where it is scheduled: enqueues an exchange behind Site::open, beside what ends send.
  void send(const Program& program);
  /// All of that is done.
  [[nodiscard]] const device::Event& sent() const { return *done_; }

  // Where it is not.

  /// Enqueues an exchange behind what is in the members' streams. With Overlap::none it runs in one of those, which saves
  /// two hops from stream to stream; else in a stream of its own.
  void start(const Program& program, std::span<device::Stream* const> users, Overlap overlap);
  /// Enqueues in the members' streams that later work waits for it.
  void join(std::span<device::Stream* const> users) const;
  /// The same for another stream of the device, where it was started with Overlap::possible.
  void join(device::Stream& stream) const { stream.wait(*done_); }
  [[nodiscard]] bool has(const Site& site) const;

  void each_stream(const VisitStream& visit) { visit(stream_); }
  /// Throws what streams of the device's operation failed with. Never blocks.
  void check();
  /// Drops those, with what has not started in them.
  void stop() noexcept;

 private:
  /// An exchange, made when first run: one that has the device to itself, and one that leaves room to what runs beside it.
  using Forms = std::array<std::unique_ptr<device::FusedExchange>, 2>;
  [[nodiscard]] device::FusedExchange& form(const Program& program, Overlap overlap);
  [[nodiscard]] device::FusedPlan plan(const Program& program, Overlap overlap) const;

  Context* context_;
  int device_;
  std::vector<Member> members_;
  std::unique_ptr<device::Room> room_;  ///< null where no other exchange runs beside it, or the device needs none
  Prepared<Forms> exchanges_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<std::unique_ptr<device::Event>> begun_;  ///< by member: all that its part comes behind
  std::unique_ptr<device::Event> done_;
  device::Stream* carrier_ = nullptr;  ///< in which the latest exchange runs
};

}  // namespace halocline::exchange

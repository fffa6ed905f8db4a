// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "domain/detail/exchange_timer.hpp"
#include "exchange/exchange.hpp"
#include "halocline/routing.hpp"

namespace halocline {

/// Times few exchanges of all fields, and keeps the least time that any of this rank's streams waited for halos: without what overlap
/// hides, and with the least delay by other work. The 4th, 8th, 16th, ... 512th exchange is timed, then each 1024th, unless it is captured.
class SlowPathWatch {
 public:
  /// Fewer timed exchanges are no basis for a judgement.
  static constexpr int enough = 4;

  /// routes: of all messages that this rank sends or receives.
  SlowPathWatch(device::Backend& backend, std::vector<routing::Route> routes)
      : backend_(&backend), timer_(backend), routes_(std::move(routes)) {}

  /// Like the functions of ExchangeTimer, for each exchange of all fields that Domain::capture() does not record; finish() before anything else is enqueued behind the halos.
  void start(exchange::Exchange& exchange, std::span<device::Stream* const> streams, exchange::Overlap overlap);
  void join(std::span<device::Stream* const> streams);
  void finish(exchange::Exchange& exchange, std::span<device::Stream* const> streams);
  /// Instead of join() and finish() where updates of boundaries follow: marks the end in streams of its own before the host enqueues the
  /// updates, which may take longer than the exchange. Not timed then are exchanges of host devices, whose threads may run an update before
  /// they find that the halos are there, and those that the host completes in between.
  void finish_before_updates(exchange::Exchange& exchange, std::span<device::Stream* const> streams);

  /// Adds the timed exchanges that are complete.
  void update();
  [[nodiscard]] int timed() const { return timed_; }
  [[nodiscard]] Duration least() const { return least_; }
  [[nodiscard]] const std::vector<routing::Route>& routes() const { return routes_; }

 private:
  device::Backend* backend_;
  ExchangeTimer timer_;
  std::vector<routing::Route> routes_;
  std::int64_t exchanges_ = 0;
  bool timing_ = false;  ///< the exchange under way
  int timed_ = 0;
  Duration least_ = Duration::max();
  std::vector<std::unique_ptr<device::Stream>> beside_;  ///< by local subdomain; made when first used
};

}  // namespace halocline

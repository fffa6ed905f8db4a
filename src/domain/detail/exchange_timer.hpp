// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"

namespace halocline {

/// Records marks in the subdomains' streams around each exchange. Bounded: the oldest exchanges that were not taken are
/// dropped.
class ExchangeTimer {
 public:
  static constexpr std::size_t most_exchanges = 4096;

  explicit ExchangeTimer(device::Backend& backend) : backend_(&backend) {}

  /// To be called before an exchange starts. Captured exchanges are not timed, because their marks are never reached.
  /// Without overlap, all of the exchange is exposed; it may run in the subdomains' own streams.
  void start(std::span<device::Stream* const> streams, exchange::Overlap overlap);
  /// To be called before the streams wait for halos.
  void join(std::span<device::Stream* const> streams);
  /// To be called after that, or in streams that wait for the halos, too.
  void finish(std::span<device::Stream* const> streams);
  /// Removes and returns the times of complete exchanges, oldest first: each the longest, or the shortest, of any subdomain.
  [[nodiscard]] std::vector<ExchangeTime> take() {
    return take([](Duration a, Duration b) { return std::max(a, b); });
  }
  [[nodiscard]] std::vector<ExchangeTime> take_shortest() {
    return take([](Duration a, Duration b) { return std::min(a, b); });
  }

 private:
  /// The marks of a subdomain.
  struct Marks {
    std::unique_ptr<device::Event> started, joining, finished;
  };
  using Exchange = std::vector<Marks>;

  [[nodiscard]] Exchange unused(std::span<device::Stream* const> streams);
  [[nodiscard]] std::vector<ExchangeTime> take(Duration (*of)(Duration, Duration));

  device::Backend* backend_;
  bool timing_ = false;  ///< current_ is under way
  bool joined_ = false;  ///< its mark `joining` is recorded
  Exchange current_;
  std::deque<Exchange> recorded_;
  std::vector<Exchange> free_;
};

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"

namespace halocline {

/// Marks in the subdomains' streams around each exchange. Bounded: the oldest exchanges that nobody took are forgotten.
class ExchangeTimer {
 public:
  static constexpr std::size_t most_exchanges = 4096;

  explicit ExchangeTimer(device::Backend& backend) : backend_(&backend) {}

  /// Before an exchange starts. Exchanges that are captured are not timed, as their marks are never reached. Without overlap, all of
  /// the exchange is exposed; it may run in the subdomains' own streams.
  void start(std::span<device::Stream* const> streams, exchange::Overlap overlap);
  /// Before the streams wait for halos.
  void join(std::span<device::Stream* const> streams);
  /// After that.
  void finish(std::span<device::Stream* const> streams);
  /// What is complete, oldest first, and forgets it.
  [[nodiscard]] std::vector<ExchangeTime> take();

 private:
  /// Of a subdomain.
  struct Marks {
    std::unique_ptr<device::Event> started, joining, finished;
  };
  using Exchange = std::vector<Marks>;

  [[nodiscard]] Exchange unused(std::span<device::Stream* const> streams);

  device::Backend* backend_;
  bool timing_ = false;  ///< current_ is under way
  bool joined_ = false;  ///< its mark `joining` is recorded
  Exchange current_;
  std::deque<Exchange> recorded_;
  std::vector<Exchange> free_;
};

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/slow_path_watch.hpp"

#include <algorithm>
#include <bit>

namespace halocline {
namespace {

bool is_timed(std::int64_t exchange) {
  constexpr std::int64_t first = 4;  // those before it touch memory for the first time
  constexpr std::int64_t period = 1024;
  if (exchange >= period) return exchange % period == 0;
  return exchange >= first && std::has_single_bit(static_cast<std::uint64_t>(exchange));
}

}  // namespace

void SlowPathWatch::start(exchange::Exchange& exchange, std::span<device::Stream* const> streams,
                          exchange::Overlap overlap) {
  const bool captured = std::ranges::any_of(streams, [](const device::Stream* stream) { return stream->capturing(); });
  const bool time = !captured && is_timed(++exchanges_);
  if (time != timing_) exchange.time_arrivals(time);
  timing_ = time;
  if (!timing_) return;
  update();
  timer_.start(streams, overlap);
  devices_.clear();
  for (const device::Stream* stream : streams) devices_.push_back(stream->device());
}

void SlowPathWatch::join(std::span<device::Stream* const> streams) {
  if (timing_) timer_.join(streams);
}

void SlowPathWatch::finish(exchange::Exchange& exchange, std::span<device::Stream* const> streams) {
  if (!timing_) return;
  timer_.finish(streams);
  exchange.time_arrivals(timing_ = false);
}

void SlowPathWatch::finish_beside(exchange::Exchange& exchange) {
  if (!timing_) return;
  // Threads of host devices may run the update before they find that the halos are there.
  if (backend_->kind() == DeviceKind::host) return exchange.time_arrivals(timing_ = false);
  if (beside_.empty()) {
    for (const int device : devices_) beside_.push_back(backend_->create_stream(device));
  }
  std::vector<device::Stream*> streams;
  for (std::size_t place = 0; place < beside_.size(); ++place) {
    exchange.join(place, exchange.filled(place), *beside_[place]);
    streams.push_back(beside_[place].get());
  }
  finish(exchange, streams);
}

void SlowPathWatch::update() {
  for (const ExchangeTime& time : timer_.take_shortest()) {
    ++timed_;
    least_ = std::min(least_, time.exposed);
  }
}

}  // namespace halocline

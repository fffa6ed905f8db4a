// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/slow_path_watch.hpp"

#include <algorithm>
#include <bit>
#include <ranges>

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
  // Asked for few exchanges only: with CUDA it is a call of the runtime.
  const auto captured = [&] {
    return std::ranges::any_of(streams, [](const device::Stream* stream) { return stream->capturing(); });
  };
  const bool time = is_timed(++exchanges_) && !captured();
  if (time != timing_) exchange.time_arrivals(time);
  timing_ = time;
  if (!timing_) return;
  update();
  timer_.start(streams, overlap);
}

void SlowPathWatch::join(std::span<device::Stream* const> streams) {
  if (timing_) timer_.join(streams);
}

void SlowPathWatch::finish(exchange::Exchange& exchange, std::span<device::Stream* const> streams) {
  if (!timing_) return;
  timer_.finish(streams);
  exchange.time_arrivals(timing_ = false);
}

void SlowPathWatch::finish_before_updates(exchange::Exchange& exchange, std::span<device::Stream* const> streams) {
  if (!timing_) return;
  const auto by_device = [&](std::size_t place) { return exchange.filled(place) == exchange.filled_by_device(place); };
  const auto places = std::views::iota(std::size_t{0}, streams.size());
  if (backend_->kind() == DeviceKind::host || !std::ranges::all_of(places, by_device)) {
    return exchange.time_arrivals(timing_ = false);
  }
  if (beside_.empty()) {
    for (const device::Stream* stream : streams) beside_.push_back(backend_->create_stream(stream->device()));
  }
  join(streams);
  std::vector<device::Stream*> ends;
  for (const std::size_t place : places) {
    exchange.join(place, exchange.filled(place), *beside_[place]);
    ends.push_back(beside_[place].get());
  }
  finish(exchange, ends);
}

void SlowPathWatch::update() {
  for (const ExchangeTime& time : timer_.take_shortest()) {
    ++timed_;
    least_ = std::min(least_, time.exposed);
  }
}

}  // namespace halocline

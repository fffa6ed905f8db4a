// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/exchange_timer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace halocline {

ExchangeTimer::Exchange ExchangeTimer::unused(std::span<device::Stream* const> streams) {
  if (!free_.empty()) {
    Exchange exchange = std::move(free_.back());
    free_.pop_back();
    return exchange;
  }
  Exchange exchange;
  for (const device::Stream* stream : streams) {
    const auto mark = [&] { return backend_->create_event(stream->device(), Timing::on); };
    exchange.push_back({mark(), mark(), mark()});
  }
  return exchange;
}

void ExchangeTimer::start(std::span<device::Stream* const> streams, exchange::Overlap overlap) {
  if (timing_) free_.push_back(std::move(current_));  // the marks of an exchange that failed to start
  timing_ = std::ranges::none_of(streams, [](const device::Stream* stream) { return stream->capturing(); });
  if (!timing_) return;
  current_ = unused(streams);
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i]->record(*current_[i].started);
  joined_ = false;
  if (in_order(overlap)) join(streams);
}

void ExchangeTimer::join(std::span<device::Stream* const> streams) {
  if (!timing_ || joined_) return;
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i]->record(*current_[i].joining);
  joined_ = true;
}

void ExchangeTimer::finish(std::span<device::Stream* const> streams) {
  if (!timing_) return;
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i]->record(*current_[i].finished);
  timing_ = false;
  if (recorded_.size() == most_exchanges) {
    free_.push_back(std::move(recorded_.front()));
    recorded_.pop_front();
  }
  recorded_.push_back(std::move(current_));
}

std::vector<ExchangeTime> ExchangeTimer::take(Duration (*of)(Duration, Duration)) {
  std::vector<ExchangeTime> times;
  // `finished` may be in another stream than the others.
  const auto complete = [](const Marks& marks) { return marks.joining->query() && marks.finished->query(); };
  while (!recorded_.empty() && std::ranges::all_of(recorded_.front(), complete)) {
    std::optional<ExchangeTime> time;
    for (const Marks& marks : recorded_.front()) {
      const ExchangeTime one{std::max(marks.finished->since(*marks.started), Duration::zero()),
                             std::max(marks.finished->since(*marks.joining), Duration::zero())};
      time = time ? ExchangeTime{of(time->total, one.total), of(time->exposed, one.exposed)} : one;
    }
    times.push_back(time.value_or(ExchangeTime{}));
    free_.push_back(std::move(recorded_.front()));
    recorded_.pop_front();
  }
  return times;
}

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/recorder.hpp"

#include <algorithm>
#include <chrono>

namespace halocline::exchange {

std::uint8_t Recorder::add(RecordedState& exchange) {
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find(exchanges_, nullptr);
  const auto place = static_cast<std::uint8_t>(free - exchanges_.begin());
  if (free == exchanges_.end()) {
    exchanges_.push_back(&exchange);
  } else {
    *free = &exchange;
  }
  return place;
}

void Recorder::remove(const RecordedState& exchange) noexcept {
  const std::lock_guard lock(mutex_);
  std::ranges::replace(exchanges_, const_cast<RecordedState*>(&exchange), nullptr);
}

void Recorder::failed(const std::exception_ptr& error, bool of_another, std::uint8_t exchange,
                      std::uint64_t number) noexcept {
  note(of_another ? EventKind::aborted : EventKind::failed, exchange, number);
  try {
    const std::lock_guard lock(mutex_);
    if (error_.empty()) {
      error_of_another_ = of_another;
      try {
        std::rethrow_exception(error);
      } catch (const Error& caught) {
        kind_ = caught.kind();
        error_ = caught.what();
      } catch (const std::exception& caught) {
        error_ = caught.what();
      }
    }
  } catch (...) {  // out of memory, or no std::exception: without its text
  }
  write_once(RecordingCause::error);
}

void Recorder::left(std::string_view why, std::uint8_t exchange, std::uint64_t number) noexcept {
  note(EventKind::left, exchange, number);
  try {
    const std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = why;
  } catch (...) {  // out of memory: without the reason
  }
  write_once(RecordingCause::error);
}

void Recorder::look_at_others() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (written_) return;
    const auto aborted = [](const RecordedState* exchange) { return exchange != nullptr && exchange->aborted(); };
    if (std::ranges::none_of(exchanges_, aborted)) return;
  }
  write_once(RecordingCause::other_rank);
}

void Recorder::write_once(RecordingCause cause) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!write_ || written_) return;
    written_ = true;
  }
  write_(cause);
}

Recording Recorder::recording(RecordingCause cause) {
  const std::lock_guard lock(mutex_);
  Recording recording{.rank = rank_, .ranks = ranks_};
  recording.cause = cause;
  recording.error = error_;
  recording.kind = kind_;
  recording.error_of_another = error_of_another_;
  const std::vector<RecordedEvent> before = ring_.events();
  const bool failed = !before.empty() && before.back().kind == EventKind::failed;
  for (RecordedState* exchange : exchanges_) {
    recording.exchanges.push_back(exchange != nullptr ? exchange->recorded(failed) : RecordedExchange{});
  }
  recording.time = Clock::steady().now();
  recording.unix_time =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  recording.events = ring_.events();
  const std::uint64_t noted = ring_.noted();
  recording.events_before = noted - std::min<std::uint64_t>(noted, recording.events.size());
  return recording;
}

}  // namespace halocline::exchange

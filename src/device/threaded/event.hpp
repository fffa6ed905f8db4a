// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "device/backend.hpp"
#include "device/detail/failure.hpp"

namespace halocline::device::threaded {

/// An event as launchers share it. A mark is asked for by a call, and made when the launcher of the stream's device comes to
/// it; calls are counted by callers, what was done about them by launchers.
///
/// A wait of another device's stream is for the mark that was the latest at its call. So its launcher waits for that mark
/// to be made, and the event's for such waits before it makes the next: both for what was asked for earlier, so that
/// there is no cycle.
struct Shared {
  std::unique_ptr<Event> inner;
  int device = 0;
  std::atomic<std::uint64_t> asked{0};         ///< marks
  std::atomic<std::uint64_t> made{0};          ///< of those, by launchers
  std::atomic<std::uint64_t> waits_asked{0};   ///< of other devices' streams
  std::atomic<std::uint64_t> waits_placed{0};  ///< of those, by launchers

  /// What the stream had failed with at the latest mark; null where it had not.
  [[nodiscard]] FailurePtr failure() const {
    const std::lock_guard lock(mutex);
    return failed;
  }
  void set_failure(FailurePtr with) {
    const std::lock_guard lock(mutex);
    failed = std::move(with);
  }
  mutable std::mutex mutex;
  FailurePtr failed;
};

class ThreadedEvent final : public Event {
 public:
  ThreadedEvent(std::unique_ptr<Event> inner, int device, bool dedicated_cores);
  [[nodiscard]] bool query() const override;
  [[nodiscard]] Duration since(const Event& earlier) const override;
  [[nodiscard]] const std::shared_ptr<Shared>& shared() const { return shared_; }

 private:
  std::shared_ptr<Shared> shared_;
  bool dedicated_cores_;
};

/// Throws InvalidArgument for another backend's.
[[nodiscard]] const ThreadedEvent& threaded(const Event& event);

}  // namespace halocline::device::threaded

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "device/backend.hpp"
#include "device/detail/failure.hpp"

namespace halocline::device::threaded {

/// The state of an event that launchers share. A call requests a mark; the launcher of the stream's device makes it when it
/// reaches the request. Callers count requests, launchers count what they have done.
///
/// A wait of another device's stream refers to the latest mark at the time of its call. Its launcher waits until that mark is
/// made, and the event's launcher waits for such waits before it makes the next mark. Both wait only for earlier requests, so
/// there is no cycle.
struct Shared {
  std::unique_ptr<Event> inner;
  int device = 0;
  std::atomic<std::uint64_t> asked{0};         ///< requested marks
  std::atomic<std::uint64_t> made{0};          ///< marks made by launchers
  std::atomic<std::uint64_t> waits_asked{0};   ///< requested waits of other devices' streams
  std::atomic<std::uint64_t> waits_placed{0};  ///< waits placed by launchers

  /// The failure of the stream at the latest mark; null if it had not failed.
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

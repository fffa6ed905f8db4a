// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/anonymous_file.hpp"
#include "core/clock.hpp"

namespace halocline::device::host {

/// A word in shared memory on which the idle threads of one backend sleep, and which is rung whenever there may be
/// something for them to do: by their own process when work or an event is ready, by any process that has set a
/// flag in the backend's memory. To lose no ring, a thread reads value(), looks for work, and only then sleeps on the
/// value it read.
class Doorbell {
 public:
  /// A new doorbell of this process.
  Doorbell();
  /// The doorbell of another backend. Throws CapabilityError with the reason if it cannot be mapped.
  explicit Doorbell(const AnonymousFileHandle& handle);

  [[nodiscard]] AnonymousFileHandle handle() const { return file_.handle(); }
  [[nodiscard]] std::uint32_t value() const { return page_->word.load(std::memory_order_seq_cst); }

  /// Wakes all sleeping threads; without a system call if there are none.
  void ring();
  /// Returns when it was rung after value() had returned `seen`, after the timeout at the latest, possibly earlier.
  void sleep(std::uint32_t seen, Duration timeout);

 private:
  struct Page {
    alignas(64) std::atomic<std::uint32_t> word;
    /// Too high after a process was killed, which costs system calls but loses no wake-up.
    alignas(64) std::atomic<std::uint32_t> sleepers;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

  AnonymousFile file_;
  Page* page_;
};

}  // namespace halocline::device::host

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "halocline/environment.hpp"

namespace halocline {

/// The source of time. One object for a whole run, so that a test can drive it.
/// Implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Time since a fixed but arbitrary moment; never goes back.
  [[nodiscard]] virtual Duration now() const = 0;
  /// The machine's steady clock; never destroyed.
  static const Clock& steady();
};

/// A moment after which a wait is given up. A default one never expires, and none whose moment no Duration can hold.
class Deadline {
 public:
  Deadline() = default;
  Deadline(const Clock& clock, Duration from_now) : clock_(&clock) {
    const Duration now = clock.now();
    at_ = from_now > Duration::max() - now ? Duration::max() : now + from_now;
  }
  [[nodiscard]] bool expired() const { return clock_ != nullptr && clock_->now() >= at_; }
  /// Until then; zero where it is over.
  [[nodiscard]] Duration left() const {
    if (clock_ == nullptr) return Duration::max();
    return std::max(at_ - clock_->now(), Duration::zero());
  }

 private:
  const Clock* clock_ = nullptr;
  Duration at_{};
};

}  // namespace halocline

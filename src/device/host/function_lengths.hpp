// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "core/clock.hpp"

namespace halocline::device::host {

/// Whether long functions have of late made up a good part of the work: a tenth of the time of all in the last window that is over.
/// By time, not by the longest: a thread that has lost its core for a while makes any function long. True until a window is over.
class FunctionLengths {
 public:
  static constexpr Duration window = std::chrono::milliseconds(5);

  /// What is longer is long.
  explicit FunctionLengths(Duration limit) : limit_(limit) {}

  /// Notes a function that ended now. One thread at a time; any may ask meanwhile.
  void note(Duration now, Duration took) noexcept {
    all_ += took;
    if (took > limit_) long_ += took;
    if (now - begun_ < window) return;
    many_long_.store(10 * long_ >= all_, std::memory_order_relaxed);
    begun_ = now;
    all_ = long_ = Duration::zero();
  }
  [[nodiscard]] bool many_long() const noexcept { return many_long_.load(std::memory_order_relaxed); }

 private:
  Duration limit_;
  Duration begun_{};
  Duration all_{};
  Duration long_{};
  std::atomic<bool> many_long_ = true;
};

}  // namespace halocline::device::host

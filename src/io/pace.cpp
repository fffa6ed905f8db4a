// SPDX-License-Identifier: BSD-3-Clause
#include "io/pace.hpp"

#include <algorithm>

namespace halocline::io {

void Pace::spend(std::int64_t bytes) {
  if (most_bytes_per_second_ <= 0) return;
  if (spent_ == 0) begun_ = Clock::now();
  spent_ += bytes;
  constexpr double most_seconds = 1e9;  // which the clock can count
  const std::chrono::duration<double> due(std::min(static_cast<double>(spent_) / most_bytes_per_second_, most_seconds));
  std::unique_lock held(mutex_);
  ending_.wait_until(held, begun_ + std::chrono::duration_cast<Clock::duration>(due), [this] { return ended_; });
}

void Pace::end() {
  {
    const std::lock_guard held(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
}

}  // namespace halocline::io

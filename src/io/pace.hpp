// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace halocline::io {

/// Keeps a thread that writes below a rate, so that it leaves memory and the file system to others.
class Pace {
 public:
  /// 0: no limit.
  explicit Pace(double most_bytes_per_second) : most_bytes_per_second_(most_bytes_per_second) {}

  /// Blocks until these bytes, and all before them, take no more than the rate since the first call. The thread that writes.
  void spend(std::int64_t bytes);
  /// No call blocks any more. Any thread.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  double most_bytes_per_second_;
  std::int64_t spent_ = 0;
  Clock::time_point begun_{};
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
};

}  // namespace halocline::io

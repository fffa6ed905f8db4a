// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace halocline::device::cuda {

/// How a thread of the host waits for a device, or for MPI that makes progress when it is asked: it asks again at once for as
/// long as a kernel's launch takes, lets other threads run for as long as a long exchange takes, and then sleeps.
class Backoff {
 public:
  void pause() {
    using std::chrono::microseconds;
    using std::chrono::milliseconds;
    const auto waited = std::chrono::steady_clock::now() - begun_;
    if (waited < microseconds(20)) return;
    if (waited < milliseconds(100)) return std::this_thread::yield();
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(2 * nap_, microseconds(50));
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::microseconds nap_{5};
};

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace halocline::device::cuda {

/// How a host thread waits for a device, or for MPI, which makes progress only in its calls: it polls for the time of a kernel
/// launch, then yields to other threads for the time of a long exchange, and then sleeps between polls.
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace halocline {

/// One wait of a host thread, which calls the hook of set_wait_hook() now and then. What the hook throws ends the wait, so
/// that destructors do not use this.
class WaitHook {
 public:
  /// Between two rounds of the wait.
  void poll();

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace halocline

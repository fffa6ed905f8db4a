// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/clock.hpp"

namespace halocline::comm {

/// A deadline for a call that cannot be interrupted: MPI_Init, MPI_Finalize, and calls that make or free communicators.
/// If it is not destroyed within the limit and 0.05 s, one line on standard error names the call and the ranks of this node that are
/// missing (job_processes.hpp) and this process's earlier error, and this process ends with exit status 1: 0.2 to 3.2 s later, by its
/// number in the job, because some launchers hang if several ranks end at once. Destructors do not run; output that was written before is flushed at construction. If
/// no thread can be started, there is no deadline, and a warning is logged: other ranks may be in the call already.
class Watchdog {
 public:
  /// call: "MPI_Init_thread", a literal. Limit: 0 or more. earlier: an error after which the call is made nevertheless, as other ranks
  /// make it, too.
  Watchdog(std::string_view call, Duration limit, std::exception_ptr earlier = nullptr) noexcept;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

 private:
  void watch();

  std::string_view call_;
  Duration limit_;
  std::exception_ptr earlier_;
  std::mutex mutex_;
  std::condition_variable returned_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace halocline::comm

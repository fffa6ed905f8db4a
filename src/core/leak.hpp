// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

namespace halocline {

// Things that are kept until the process ends, because somebody else may still use their memory: another rank after a failed
// exchange, or one whose domain was not closed. For destructors: nothing here throws. Thread-safe.

/// Keeps what a pointer refers to reachable, so that leak checkers do not report it.
void keep_reachable(void* object) noexcept;

void leak(std::shared_ptr<void> object) noexcept;
template <typename T>
void leak(std::unique_ptr<T>&& object) noexcept {
  static_assert(!std::is_array_v<T>);
  if (object) keep_reachable(object.release());
}

/// Logs that something was destroyed before it was closed or done: a warning, or an info where it follows from what is reported
/// already, that is while an exception unwinds the calling thread, or within a LeaksReported.
void log_leak(std::string_view what) noexcept;

class LeaksReported {
 public:
  LeaksReported();
  LeaksReported(const LeaksReported&) = delete;
  LeaksReported& operator=(const LeaksReported&) = delete;
  ~LeaksReported();
};

}  // namespace halocline

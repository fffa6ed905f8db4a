// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

namespace halocline {

// Objects that are kept until the process ends, because their memory may still be in use: by another rank, after a
// failed exchange or if a domain was not closed. For destructors: nothing here throws. Thread-safe.

/// Keeps what a pointer refers to reachable, so that leak checkers do not report it.
void keep_reachable(void* object) noexcept;

void leak(std::shared_ptr<void> object) noexcept;
template <typename T>
void leak(std::unique_ptr<T>&& object) noexcept {
  static_assert(!std::is_array_v<T>);
  if (object) keep_reachable(object.release());
}

/// Logs that an object was destroyed before it was closed or done: as a warning, or as an info if that is the
/// consequence of an error that is reported already, i.e. while an exception unwinds the calling thread, or within a
/// LeaksReported.
void log_leak(std::string_view what) noexcept;

class LeaksReported {
 public:
  LeaksReported();
  LeaksReported(const LeaksReported&) = delete;
  LeaksReported& operator=(const LeaksReported&) = delete;
  ~LeaksReported();
};

}  // namespace halocline

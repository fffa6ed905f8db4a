// SPDX-License-Identifier: BSD-3-Clause
#include "core/leak.hpp"

#include <exception>
#include <mutex>
#include <new>
#include <vector>

#include "core/log.hpp"

namespace halocline {
namespace {

/// The number of LeaksReported objects of this thread.
thread_local int reported = 0;

/// Is not destroyed.
union Forever {
  explicit Forever(std::shared_ptr<void>&& of) noexcept : object(std::move(of)) {}
  Forever(const Forever&) = delete;
  Forever& operator=(const Forever&) = delete;
  ~Forever() {}  // NOLINT(modernize-use-equals-default)
  std::shared_ptr<void> object;
};

}  // namespace

void keep_reachable(void* object) noexcept {
  try {
    // Never destroyed, so that nothing is freed while static objects are.
    static auto* const mutex = new std::mutex;
    static auto* const objects = new std::vector<void*>;
    const std::lock_guard lock(*mutex);
    objects->push_back(object);
  } catch (...) {  // out of memory: it is kept, though a leak checker may report it
  }
}

void leak(std::shared_ptr<void> object) noexcept {
  if (object == nullptr) return;
  auto* const kept = new (std::nothrow) Forever(std::move(object));
  if (kept != nullptr) return keep_reachable(kept);
  // NOLINTNEXTLINE(bugprone-use-after-move): nothing was moved
  const Forever not_destroyed(std::move(object));
}

void log_leak(std::string_view what) noexcept {
  const bool follows = reported > 0 || std::uncaught_exceptions() > 0;
  log(follows ? LogLevel::info : LogLevel::warning, what);
}

LeaksReported::LeaksReported() { ++reported; }
LeaksReported::~LeaksReported() { --reported; }

}  // namespace halocline

// SPDX-License-Identifier: BSD-3-Clause
#include "core/leak.hpp"

#include <atomic>
#include <exception>
#include <new>
#include <utility>

#include "core/log.hpp"

namespace halocline {
namespace {

/// The number of LeaksReported objects of this thread.
thread_local int reported = 0;

/// The pointers that are kept, in a list that only grows: it needs no lock, and no memory besides its own.
struct Kept {
  std::shared_ptr<void> owned;
  void* object = nullptr;
  Kept* next = nullptr;
};

std::atomic<Kept*> kept_objects = nullptr;

/// Not destroyed.
union Forever {
  explicit Forever(std::shared_ptr<void>&& of) noexcept : object(std::move(of)) {}
  Forever(const Forever&) = delete;
  Forever& operator=(const Forever&) = delete;
  ~Forever() {}  // NOLINT(modernize-use-equals-default)
  std::shared_ptr<void> object;
};

void keep(Kept* kept) noexcept {
  kept->next = kept_objects.load(std::memory_order_relaxed);
  while (!kept_objects.compare_exchange_weak(kept->next, kept, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

void keep_reachable(void* object) noexcept {
  // If there is no memory for the list, the object is leaked nevertheless, but a leak checker may report it.
  if (auto* const kept = new (std::nothrow) Kept) {
    kept->object = object;
    keep(kept);
  }
}

void leak(std::shared_ptr<void> object) noexcept {
  if (object == nullptr) return;
  if (auto* const kept = new (std::nothrow) Kept) {
    kept->owned = std::move(object);
    return keep(kept);
  }
  const Forever not_destroyed(std::move(object));
}

void log_leak(std::string_view what) noexcept {
  const bool follows = reported > 0 || std::uncaught_exceptions() > 0;
  log(follows ? LogLevel::info : LogLevel::warning, what);
}

LeaksReported::LeaksReported() { ++reported; }
LeaksReported::~LeaksReported() { --reported; }

}  // namespace halocline

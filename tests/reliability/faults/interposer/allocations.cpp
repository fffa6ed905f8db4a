// SPDX-License-Identifier: BSD-3-Clause
// operator new, and threads: a call fails as it does without memory.
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "plan.hpp"

namespace {

constinit faults::Point point_of_new{"operator new"};

void* allocated(std::size_t bytes, std::size_t alignment) noexcept {
  if (faults::fails(point_of_new)) return nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocated(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// A thread has the rank of the one that starts it.
struct Start {
  void* (*body)(void*);
  void* argument;
  int rank;
};

void* started(void* given) {
  const Start start = *static_cast<Start*>(given);
  std::free(given);
  faults::set_rank(start.rank);
  return start.body(start.argument);
}

}  // namespace

#define FAULT_EXPORT [[gnu::visibility("default")]]
FAULT_EXPORT void* operator new(std::size_t bytes) { return allocated_or_thrown(bytes, 0); }
FAULT_EXPORT void* operator new[](std::size_t bytes) { return allocated_or_thrown(bytes, 0); }
FAULT_EXPORT void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0); }
FAULT_EXPORT void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0); }
FAULT_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
FAULT_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
FAULT_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(bytes, static_cast<std::size_t>(alignment));
}
FAULT_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(bytes, static_cast<std::size_t>(alignment));
}

extern "C" FAULT_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                                           void* argument) {
  static constinit faults::Point point{"pthread_create"};
  if (faults::fails(point)) return EAGAIN;
  auto* const start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) return EAGAIN;
  *start = {body, argument, faults::rank()};
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const int failed = reinterpret_cast<Create>(faults::next_of(point))(thread, attributes, started, start);
  if (failed != 0) std::free(start);
  return failed;
}

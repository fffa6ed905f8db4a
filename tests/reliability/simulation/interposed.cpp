// SPDX-License-Identifier: BSD-3-Clause
// The functions of the system by which threads begin, wait, wake each other and read the clock. A program that contains this file uses these
// instead of the C library's, also from the C++ library. Outside of a run they are the C library's.
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <ctime>
#include <vector>

#include "simulation/fibers.hpp"
#include "simulation/simulator.hpp"

extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) noexcept;

namespace halocline::simulation {
namespace {

/// The function of that name in the C library.
template <typename Function>
Function* next(Function*& kept, const char* name) {
  if (kept == nullptr) kept = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
  return kept;
}
#define HALOCLINE_MACHINE(name)                   \
  [] {                                            \
    static decltype(&::name) from_libc = nullptr; \
    return next(from_libc, #name);                \
  }()

Simulator& run() { return Simulator::instance(); }

Time time_of(const timespec& time) { return std::chrono::seconds(time.tv_sec) + Time(time.tv_nsec); }

std::uintptr_t key(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

/// Shared mappings of files. The words of a file are the same words at all addresses where it is mapped.
struct FileMapping {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::uintptr_t file;
};
std::vector<FileMapping>& file_mappings() {
  static auto* const all = new std::vector<FileMapping>;
  return *all;
}

std::uintptr_t word_key(const void* word) {
  for (const FileMapping& mapping : file_mappings()) {
    // Beyond all addresses: not the key of an object in this process's memory.
    if (key(word) >= mapping.begin && key(word) < mapping.end) {
      return (std::uintptr_t{1} << 63) + (mapping.file << 24) + (key(word) - mapping.begin);
    }
  }
  return key(word);
}

/// Returns ETIMEDOUT only at the time, 0 otherwise.
int wait_on(pthread_cond_t* condition, pthread_mutex_t* mutex, Time until) {
  run().point("condition wait");
  // No point between the release of the mutex and the wait: a wake-up in between would be lost.
  HALOCLINE_MACHINE(pthread_mutex_unlock)(mutex);
  run().wake(key(mutex), INT_MAX, "unlock");
  const bool woken = run().wait(key(condition), until, "a condition");
  const bool late = !woken && run().now() >= until;
  ::pthread_mutex_lock(mutex);
  return late ? ETIMEDOUT : 0;
}

long simulated_futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* timeout) {
  switch (operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
    case FUTEX_WAIT: {
      run().point("futex wait");
      if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        errno = EAGAIN;
        return -1;
      }
      const Time until = timeout == nullptr ? Time::max() : run().now() + time_of(*timeout);
      if (run().wait(word_key(word), until, "a futex")) return 0;
      errno = run().now() >= until ? ETIMEDOUT : EINTR;
      return -1;
    }
    case FUTEX_WAKE:
      run().point("futex wake");
      run().wake(word_key(word), static_cast<int>(value), "woken by a futex", run().loses_wake());
      return 0;
    default: errno = ENOSYS; return -1;
  }
}

/// Mutexes that know their owner know the thread of the system, which all threads of the run share.
void refuse_owned(const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind;
  if (kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP) {
    run().fail("mutex: recursive ones, and those that check errors, are not simulated");
  }
}

/// What identifies a thread of the run. No handle of the C library's.
pthread_t handle_of(const Thread& thread) { return reinterpret_cast<pthread_t>(&thread); }

Thread& thread_of(pthread_t handle) { return *reinterpret_cast<Thread*>(handle); }

}  // namespace
}  // namespace halocline::simulation

using namespace halocline::simulation;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_create)(handle, attributes, body, argument);
  *handle = handle_of(run().start([body, argument] { return body(argument); }));
  run().point("thread created");
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_join)(handle, result);
  run().join(thread_of(handle));
  if (result != nullptr) *result = thread_of(handle).result;
  return 0;
}

int pthread_detach(pthread_t handle) noexcept {
  return Simulator::here() ? 0 : HALOCLINE_MACHINE(pthread_detach)(handle);
}

pthread_t pthread_self() noexcept {
  return Simulator::here() ? handle_of(run().self()) : HALOCLINE_MACHINE(pthread_self)();
}

int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) noexcept {
  if (Fiber::running() == nullptr) return __cxa_thread_atexit_impl(destructor, object, library);
  Fiber::running()->at_end(destructor, object);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_mutex_lock)(mutex);
  refuse_owned(mutex);
  run().point("lock");
  while (true) {
    const int result = HALOCLINE_MACHINE(pthread_mutex_trylock)(mutex);
    if (result != EBUSY) return result;
    (void)run().wait(key(mutex), Time::max(), "a mutex");
  }
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (Simulator::here()) run().point("trylock");
  return HALOCLINE_MACHINE(pthread_mutex_trylock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const int result = HALOCLINE_MACHINE(pthread_mutex_unlock)(mutex);
  if (Simulator::here()) {
    run().wake(key(mutex), INT_MAX, "unlock");
    run().point("unlocked");
  }
  return result;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_cond_wait)(condition, mutex);
  return wait_on(condition, mutex, Time::max());
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_cond_timedwait)(condition, mutex, until);
  return wait_on(condition, mutex, time_of(*until));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_cond_clockwait)(condition, mutex, clock, until);
  return wait_on(condition, mutex, time_of(*until));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_cond_signal)(condition);
  run().point("signal");
  run().wake(key(condition), 1, "woken by a condition");
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(pthread_cond_broadcast)(condition);
  run().point("broadcast");
  run().wake(key(condition), INT_MAX, "woken by a condition");
  return 0;
}

int sched_yield() noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(sched_yield)();
  run().yield();
  return 0;
}

int nanosleep(const timespec* duration, timespec* left) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(nanosleep)(duration, left);
  run().sleep(time_of(*duration), "a sleep");
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* duration, timespec* left) {
  if (!Simulator::here()) return HALOCLINE_MACHINE(clock_nanosleep)(clock, flags, duration, left);
  const Time from = (flags & TIMER_ABSTIME) != 0 ? run().now() : Time{};
  run().sleep(time_of(*duration) - from, "a sleep");
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!Simulator::here()) return HALOCLINE_MACHINE(clock_gettime)(clock, time);
  run().point("clock");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(run().now());
  *time = {seconds.count(), (run().now() - seconds).count()};
  return 0;
}

int get_nprocs() noexcept {
  if (!Simulator::here()) return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  return run().cores();
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  void* const made = HALOCLINE_MACHINE(mmap)(address, bytes, protection, flags, fd, offset);
  struct stat status {};
  if (Simulator::here() && made != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) != 0 && ::fstat(fd, &status) == 0) {
    file_mappings().push_back({key(made), key(made) + bytes, status.st_ino});
  }
  return made;
}

int munmap(void* address, std::size_t bytes) noexcept {
  if (Simulator::here()) {
    std::erase_if(file_mappings(), [&](const FileMapping& mapping) { return mapping.begin == key(address); });
  }
  return HALOCLINE_MACHINE(munmap)(address, bytes);
}

long syscall(long number, ...) noexcept {
  va_list given;
  va_start(given, number);
  long a[6];
  for (long& one : a) one = va_arg(given, long);
  va_end(given);
  if (number == SYS_futex && Simulator::here()) {
    return simulated_futex(reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]),
                           static_cast<std::uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]));
  }
  return HALOCLINE_MACHINE(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // extern "C"

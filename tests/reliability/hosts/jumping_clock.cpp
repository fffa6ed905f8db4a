// SPDX-License-Identifier: BSD-3-Clause
// Loaded in front of other libraries: the wall clock jumps a day to and fro with each call. The monotonic clock does not.
#include <dlfcn.h>
#include <sys/time.h>

#include <atomic>
#include <ctime>

namespace {

std::atomic<unsigned> calls = 0;

time_t jump() { return calls.fetch_add(1) % 2 == 0 ? 86400 : -86400; }

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += jump();
  return result;
}

extern "C" int gettimeofday(struct timeval* now, void* zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(now, zone);
  now->tv_sec += jump();
  return result;
}

extern "C" time_t time(time_t* stored) noexcept {
  static auto* const real = next<time_t(time_t*)>("time");
  const time_t now = real(nullptr) + jump();
  if (stored != nullptr) *stored = now;
  return now;
}

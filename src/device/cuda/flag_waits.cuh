// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/system_scope.cuh"

// How a thread waits for a flag, and what it does if the flag is late or has an unexpected value.
namespace halocline::device::cuda {

/// A poll of a flag in the device's own memory takes half a microsecond. The clock, and the abort word across PCIe, are read
/// about every 20 us.
constexpr unsigned polls_between_looks = 32;
/// After a few milliseconds a waiting thread sleeps between polls, so that other warps get the multiprocessor.
constexpr unsigned polls_before_naps = 4096;

/// The state of a wait.
struct Waiting {
  std::uint64_t expected;
  std::uint64_t begun;
};

/// A flag as it is now; what preceded it may be read.
__device__ inline FlagWords acquired(const WaitEntry& wait) {
  return wait.odd != nullptr ? acquire_words(wait.flag) : acquire(wait.flag);
}

// Rare paths are not inlined: they would take registers from the copies, and separate their instructions.

/// Whether to give up a wait: aborted, late, or the device is stopped, and the flag has still not arrived.
static __device__ __noinline__ bool given_up(Board* board, const WaitEntry& wait, const Waiting& waiting) {
  const bool stop = stopped(board);
  FailureRecord failure;
  failure.label = wait.label;
  failure.expected = waiting.expected;
  failure.waited_ns = nanoseconds() - waiting.begun;
  const bool late = failure.waited_ns >= wait.timeout_ns;
  const bool aborted = wait.abort != nullptr && load_relaxed(wait.abort) != 0;
  if (!stop && !late && !aborted) return false;
  // Read the flag again after the reason to give up was seen: the other side may have refused before it stopped this device.
  __threadfence_system();
  failure.found = acquired(wait).epoch;
  if (failure.found >= waiting.expected) return false;
  if (stop) return true;
  failure.cause = aborted ? FailureCause::aborted : FailureCause::late;
  fail(board, failure);
  return true;
}

/// Fails because the flag has arrived with another value than expected. Makes the other side's next wait fail, too.
static __device__ __noinline__ void disagree(Board* board, const WaitEntry& wait, std::uint64_t expected,
                                             const FlagWords& there) {
  if (wait.refusal != nullptr) release(wait.refusal, {expected | refused_bit, wait.token});
  FailureRecord failure;
  failure.cause = (there.epoch & refused_bit) != 0 ? FailureCause::refused : FailureCause::disagreement;
  failure.label = wait.label;
  failure.expected = expected;
  failure.expected_token = wait.token;
  failure.found = there.epoch;
  failure.found_token = there.token;
  fail(board, failure);
}

/// Whether a flag has the expected value; otherwise the device fails.
__device__ inline bool as_awaited(Board* board, const WaitEntry& wait, std::uint64_t expected, const FlagWords& there) {
  if (there.epoch == expected && there.token == wait.token) return true;
  disagree(board, wait, expected, there);
  return false;
}

/// Checks a flag that was seen to have reached the epoch. If it has the expected value, what preceded it may be read. It is
/// read again, with acquire: polls with acquire would each empty the multiprocessor's L1 cache, which other threads use, and a
/// fence would wait for this thread's own stores.
__device__ inline bool accept(Board* board, const WaitEntry& wait, std::uint64_t expected) {
  return as_awaited(board, wait, expected, acquire(wait.flag));
}

__device__ inline bool reached(const WaitEntry& wait, std::uint64_t epoch) {
  return load_relaxed(wait.flag).epoch >= epoch;
}

/// Polls until a flag has reached an epoch. Returns false if the device is stopped.
__device__ inline bool poll(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  const Waiting waiting{epoch, nanoseconds()};
  for (unsigned polls = 1; !reached(wait, epoch); ++polls) {
    if (polls % polls_between_looks == 0) {
      if (given_up(board, wait, waiting)) return false;
      if (polls > polls_before_naps) __nanosleep(200);
    }
  }
  return true;
}

/// Waits for a flag to reach an epoch. Returns true if it has the expected value, and everything that preceded it may be read;
/// false if the device is stopped.
__device__ inline bool wait_for(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  return poll(board, wait, epoch) && accept(board, wait, epoch);
}

/// The same if another thread of the device also waits for the flag, by wait_for() or watch(), and reads the clock and the
/// abort word. If many threads did, their loads across PCIe would delay the stores across NVLink.
__device__ inline bool wait_beside(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  for (unsigned polls = 1; !reached(wait, epoch); ++polls) {
    if (polls % polls_between_looks == 0) {
      if (stopped(board)) return false;
      __nanosleep(200);
    }
  }
  return accept(board, wait, epoch);
}

/// Serves the threads in wait_beside(): waits until the flag has arrived, and fails like wait_for() if it is late.
__device__ inline bool watch(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  const Waiting waiting{epoch, nanoseconds()};
  while (!reached(wait, epoch)) {
    if (given_up(board, wait, waiting)) return false;
    __nanosleep(500);
  }
  return true;
}

static __device__ __noinline__ void miscounted(Board* board, const CheckEntry& check, std::uint64_t count) {
  FailureRecord failure;
  failure.cause = FailureCause::counter;
  failure.label = check.label;
  failure.expected = check.modulus;
  failure.expected_token = check.remainder;
  failure.found = count;
  fail(board, failure);
}

/// Returns whether a counter has the expected value; otherwise stops the device.
__device__ inline bool as_expected(Board* board, const CheckEntry& check) {
  const std::uint64_t count = acquire(check.counter);
  if (count % check.modulus == check.remainder) return true;
  miscounted(board, check, count);
  return false;
}

/// The release at system scope also orders what earlier kernels and copies of this stream wrote, because they happen-before the
/// kernel that signals. A separate fence would wait a second time.
__device__ inline void signal(const FlagSignal& signal, std::uint64_t epoch) {
  release(signal.flag, {epoch, signal.token});
}
/// The same behind a fence_system() of this thread that came after the end of those kernels was awaited.
__device__ inline void signal_behind_fence(const FlagSignal& signal, std::uint64_t epoch) {
  store_relaxed(signal.flag, {epoch, signal.token});
}

// Flags of turns, between a device and a network engine of its host (docs/decisions/0066).

/// The wait of this exchange.
__device__ inline WaitEntry in_turn(const WaitEntry& wait, std::uint64_t epoch) {
  WaitEntry now = wait;
  if (epoch % 2 == 1) now.flag = wait.odd;
  return now;
}

__device__ inline bool reached_in_turn(const WaitEntry& now, std::uint64_t epoch) {
  return load_relaxed(&now.flag->epoch) >= epoch;
}

/// As accept().
__device__ inline bool accept_in_turn(Board* board, const WaitEntry& now, std::uint64_t expected) {
  return as_awaited(board, now, expected, acquire_words(now.flag));
}

/// As signal().
__device__ inline void signal_in_turn(const FlagSignal& signal, std::uint64_t epoch) {
  release_words(epoch % 2 == 1 ? signal.odd : signal.flag, {epoch, signal.token});
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/board.hpp"
#include "device/cuda/system_scope.cuh"

// How a thread waits for a flag, and what it does where the flag is late or not what was expected.
namespace halocline::device::cuda {

/// A poll of a flag in the device's own memory takes half a microsecond; the clock and the abort word, which is behind
/// PCIe, are looked at some 20 us apart.
constexpr unsigned polls_between_looks = 32;
/// After a few milliseconds, let other warps have the multiprocessor.
constexpr unsigned polls_before_naps = 4096;

/// What is known of a wait that is not over.
struct Waiting {
  std::uint64_t expected;
  std::uint64_t begun;
};

// What is rare is called, not inlined: it would take registers of those who copy, and lie between their instructions.

/// Whether to leave: aborted, late, or stopped and still not there.
static __device__ __noinline__ bool given_up(Board* board, const WaitEntry& wait, const Waiting& waiting) {
  const bool stop = stopped(board);
  FailureRecord failure;
  failure.label = wait.label;
  failure.expected = waiting.expected;
  failure.waited_ns = nanoseconds() - waiting.begun;
  const bool late = failure.waited_ns >= wait.timeout_ns;
  const bool aborted = wait.abort != nullptr && load_relaxed(wait.abort) != 0;
  if (!stop && !late && !aborted) return false;
  // Once more, after the reason to leave was seen: who stopped this device may have refused before.
  __threadfence_system();
  failure.found = acquire(wait.flag).epoch;
  if (failure.found >= waiting.expected) return false;
  if (stop) return true;
  failure.cause = aborted ? FailureCause::aborted : FailureCause::late;
  fail(board, failure);
  return true;
}

/// The flag is there, and not what was waited for: the other side's next wait ends with an error, too.
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

/// The flag was seen to have reached the epoch: is it what was waited for? If so, what preceded it may be read. Read once
/// more: polls that acquire would empty the multiprocessor's L1 cache, which others use, each time; and a fence would wait
/// for this thread's own stores.
__device__ inline bool accept(Board* board, const WaitEntry& wait, std::uint64_t expected) {
  const FlagWords there = acquire(wait.flag);
  if (there.epoch == expected && there.token == wait.token) return true;
  disagree(board, wait, expected, there);
  return false;
}

__device__ inline bool reached(const WaitEntry& wait, std::uint64_t epoch) {
  return load_relaxed(wait.flag).epoch >= epoch;
}

/// Until a flag has reached an epoch. False: the device is stopped.
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

/// Waits for a flag to reach an epoch. True: it is there as expected, and all that preceded it may be read. False: the
/// device is stopped.
__device__ inline bool wait_for(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  return poll(board, wait, epoch) && accept(board, wait, epoch);
}

/// The same, where another thread of the device waits for the flag too, by wait_for() or watch(), and looks at the clock
/// and the abort word: if many did, their loads over PCIe would be in the way of everybody's stores over NVLink.
__device__ inline bool wait_beside(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  for (unsigned polls = 1; !reached(wait, epoch); ++polls) {
    if (polls % polls_between_looks == 0) {
      if (stopped(board)) return false;
      __nanosleep(200);
    }
  }
  return accept(board, wait, epoch);
}

/// For those who wait beside: until the flag is there, or fails as wait_for() does where it is late.
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

/// False, and the device is stopped, where a counter is not as expected.
__device__ inline bool as_expected(Board* board, const CheckEntry& check) {
  const std::uint64_t count = acquire(check.counter);
  if (count % check.modulus == check.remainder) return true;
  miscounted(board, check, count);
  return false;
}

/// The release is at system scope and orders all that this stream wrote before, by other kernels and copies, too: they
/// happen-before the kernel that signals. A fence of its own would wait a second time.
__device__ inline void signal(const FlagSignal& signal, std::uint64_t epoch) {
  release(signal.flag, {epoch, signal.token});
}

}  // namespace halocline::device::cuda

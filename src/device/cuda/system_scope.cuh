// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "device/cuda/board.hpp"

// Words that other devices, other processes and the host access, too: all accesses are at system scope.
namespace halocline::device::cuda {

template <typename T>
using SystemWord = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;

template <typename T>
__device__ inline T acquire(const T* word) {
  return SystemWord<T>(const_cast<T&>(*word)).load(::cuda::memory_order_acquire);
}
template <typename T>
__device__ inline T load_relaxed(const T* word) {
  return SystemWord<T>(const_cast<T&>(*word)).load(::cuda::memory_order_relaxed);
}
template <typename T>
__device__ inline void release(T* word, T value) {
  SystemWord<T>(*word).store(value, ::cuda::memory_order_release);
}
template <typename T>
__device__ inline void store_relaxed(T* word, T value) {
  SystemWord<T>(*word).store(value, ::cuda::memory_order_relaxed);
}

__device__ inline void fence_system() {
  ::cuda::atomic_thread_fence(::cuda::memory_order_acq_rel, ::cuda::thread_scope_system);
}

/// Both words of a flag as one value, so that no reader sees an epoch with the token of another. PTX defines accesses of type
/// .b128 as one access of 16 bytes; kernels access flags in no other way, but for flags of turns.
struct FlagWords {
  std::uint64_t epoch;
  std::uint64_t token;
};

__device__ inline FlagWords load_relaxed(const Flag* flag) {
  FlagWords words;
  asm volatile("{ .reg .b128 words; ld.relaxed.sys.global.b128 words, [%2]; mov.b128 {%0, %1}, words; }"
               : "=l"(words.epoch), "=l"(words.token)
               : "l"(__cvta_generic_to_global(flag))
               : "memory");
  return words;
}
__device__ inline FlagWords acquire(const Flag* flag) {
  FlagWords words;
  asm volatile("{ .reg .b128 words; ld.acquire.sys.global.b128 words, [%2]; mov.b128 {%0, %1}, words; }"
               : "=l"(words.epoch), "=l"(words.token)
               : "l"(__cvta_generic_to_global(flag))
               : "memory");
  return words;
}
__device__ inline void release(Flag* flag, const FlagWords& words) {
  asm volatile("{ .reg .b128 words; mov.b128 words, {%1, %2}; st.release.sys.global.b128 [%0], words; }" ::"l"(
                   __cvta_generic_to_global(flag)),
               "l"(words.epoch), "l"(words.token)
               : "memory");
}

__device__ inline void store_relaxed(Flag* flag, const FlagWords& words) {
  asm volatile("{ .reg .b128 words; mov.b128 words, {%1, %2}; st.relaxed.sys.global.b128 [%0], words; }" ::"l"(
                   __cvta_generic_to_global(flag)),
               "l"(words.epoch), "l"(words.token)
               : "memory");
}

/// Flags of turns are shared with a thread of the host, which has no access of 16 bytes: the token is stored first and loaded last.
__device__ inline FlagWords acquire_words(const Flag* flag) {
  const std::uint64_t epoch = acquire(&flag->epoch);
  return {epoch, load_relaxed(&flag->token)};
}
__device__ inline void release_words(Flag* flag, const FlagWords& words) {
  store_relaxed(&flag->token, words.token);
  release(&flag->epoch, words.epoch);
}

/// Relaxed: what follows is either harmless, or ordered by the flag that it waits for.
__device__ inline bool stopped(const Board* board) { return load_relaxed(&board->stop) != 0; }

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline void stop_all(Board* board) {
  for (std::uint32_t i = 0; i < board->others; ++i) release(board->other_stops[i], std::uint32_t{1});
  release(&board->stop, std::uint32_t{1});
  __threadfence_system();
}

/// The first thread to fail on this device writes the record; later ones wait until it has done so. When this returns, the
/// device is stopped.
__device__ inline void fail(Board* board, const FailureRecord& what) {
  if (SystemWord<std::uint32_t>(board->claimed).exchange(1, ::cuda::memory_order_relaxed) != 0) {
    while (!stopped(board)) {
    }
    return;
  }
  FailureRecord* record = board->record;
  record->cause = what.cause;
  record->label = what.label;
  record->expected = what.expected;
  record->expected_token = what.expected_token;
  record->found = what.found;
  record->found_token = what.found_token;
  record->waited_ns = what.waited_ns;
  release(&record->published, std::uint32_t{1});
  __threadfence_system();
  stop_all(board);
}

}  // namespace halocline::device::cuda

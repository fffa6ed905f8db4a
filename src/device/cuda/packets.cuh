// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/cuda/flag_waits.cuh"
#include "device/cuda/fused_table.hpp"

// Puts cells into packets and takes them (docs/decisions/0036). A packet, like a flag, is one access of 16 bytes, relaxed and
// at system scope. Its mark indicates that its own cells have arrived, and orders nothing else.
namespace halocline::device::cuda {

/// Distinguishes a packet of this exchange from an empty slot; never 0.
__device__ inline std::uint32_t mark_of(std::uint64_t epoch) {
  return (static_cast<std::uint32_t>(epoch) | 0x8000U) << 16;
}
constexpr std::uint32_t mark_bits = 0xffff0000U;

__device__ inline void store_packet(std::byte* slot, const uint4& packet) {
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; "
      "mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4}; mov.b128 all, {low, high}; "
      "st.relaxed.sys.global.b128 [%0], all; }" ::"l"(__cvta_generic_to_global(slot)),
      "r"(packet.x), "r"(packet.y), "r"(packet.z), "r"(packet.w)
      : "memory");
}
__device__ inline uint4 load_packet(const std::byte* slot) {
  uint4 packet;
  asm volatile(
      "{ .reg .b64 low, high; .reg .b128 all; ld.relaxed.sys.global.b128 all, [%4]; mov.b128 {low, high}, all; "
      "mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
      : "=r"(packet.x), "=r"(packet.y), "=r"(packet.z), "=r"(packet.w)
      : "l"(__cvta_generic_to_global(slot))
      : "memory");
  return packet;
}

/// Stores this thread's pair of a tile as packets.
__device__ inline void put_packets(const PacketTask& in_memory, std::uint32_t first, std::uint64_t epoch) {
  const PacketTask task = in_memory;
  const std::uint32_t pair = first + threadIdx.x;
  if (pair >= task.pairs) return;
  const PairPlace place = place_of_pair(task, pair);
  const auto* from = reinterpret_cast<const std::uint32_t*>(task.cells + place.cells);
  std::uint32_t word[words_of_pair];
#pragma unroll
  for (std::uint32_t i = 0; i < words_of_pair; ++i) word[i] = i < place.words ? from[i * task.row.divisor] : 0;
  const std::uint32_t mark = mark_of(epoch);
  std::byte* slot = task.buffers[epoch % 2] + slot_of_pair(pair);
  store_packet(slot, {word[0], word[1], word[2], (word[3] & ~mark_bits) | mark});
  if (place.words > words_of_packet) {
    store_packet(slot + high_packet, {word[4], word[5], word[6], (word[3] >> 16) | mark});
  }
}

/// Publishes what the packets contain. Not ordered with the packets themselves.
__device__ inline void announce(const SendPart& part, std::uint64_t epoch) {
  store_relaxed(part.buffers[epoch % 2], {epoch, part.arrived.token});
}

/// The receiver's wait for announce(). The polled value itself is the result: no later read depends on it, so no acquire is
/// needed. If the two sides disagree and the sender sends rows instead, its refusal is in the flag for rows, which is polled as
/// well.
__device__ inline bool wait_for_announcement(Board* board, const ReceivePart& part, std::uint64_t epoch) {
  WaitEntry wait = part.arrived;
  wait.flag = part.buffers[epoch % 2];
  const Waiting waiting{epoch, nanoseconds()};
  FlagWords there = load_relaxed(wait.flag);
  for (unsigned polls = 1; there.epoch < epoch; ++polls) {
    if (polls % polls_between_looks == 0) {
      if (reached(part.arrived, epoch)) {
        there = acquire(part.arrived.flag);
        break;
      }
      if (given_up(board, wait, waiting)) return false;
      if (polls > polls_before_naps) __nanosleep(200);
    }
    there = load_relaxed(wait.flag);
  }
  return as_awaited(board, wait, epoch, there);
}

/// The sender's wait for "ready" of this exchange, on which the next exchange relies. The receiver may already have taken its
/// packets and be one exchange ahead; then it has agreed to this one.
__device__ inline bool wait_for_receiver(Board* board, const SendPart& part, std::uint64_t epoch) {
  if (!poll(board, part.ready, epoch)) return false;
  const FlagWords there = acquire(part.ready.flag);
  if (there.epoch == epoch + 1 || (there.epoch == epoch && there.token == part.ready.token)) return true;
  disagree(board, part.ready, epoch, there);
  return false;
}

/// Whether a thread that waits for packets must give up. `looks` is the number of its calls. Waiting threads read the stop word
/// of their own device; one thread of each warp rarely also reads the clock and the abort word, for the reason given at
/// wait_beside().
static __device__ __noinline__ bool leave_packets(Board* board, const ReceivePart& part, const Waiting& waiting,
                                                  unsigned looks) {
  constexpr unsigned looks_between_clocks = 64;  // a millisecond or two
  if (stopped(board)) return true;
  __nanosleep(200);
  if (looks % looks_between_clocks != 0) return false;
  const unsigned lane = threadIdx.x % 32;
  if (lane != static_cast<unsigned>(__ffs(static_cast<int>(__activemask()))) - 1) return false;
  const WaitEntry& wait = part.arrived;
  FailureRecord failure;
  failure.label = wait.label;
  failure.expected = waiting.expected;
  failure.waited_ns = nanoseconds() - waiting.begun;
  const bool aborted = wait.abort != nullptr && load_relaxed(wait.abort) != 0;
  if (!aborted && failure.waited_ns < wait.timeout_ns) return false;
  failure.found = load_relaxed(part.buffers[waiting.expected % 2]).epoch;
  failure.cause = aborted ? FailureCause::aborted : FailureCause::late;
  fail(board, failure);
  return true;
}

__device__ inline bool is_there(const uint4& packet, std::uint32_t mark) { return (packet.w & mark_bits) == mark; }

/// Waits for the packets of this thread's pair of a tile, one or two, stores its cells, and empties the slots. Returns false if
/// the device is stopped.
__device__ inline bool take_packets(Board* board, const ReceivePart& part, const PacketTask& in_memory,
                                    std::uint32_t first, std::uint64_t epoch) {
  const PacketTask task = in_memory;
  const std::uint32_t pair = first + threadIdx.x;
  if (pair >= task.pairs) return true;
  const PairPlace place = place_of_pair(task, pair);
  const bool both = place.words > words_of_packet;
  const std::uint32_t mark = mark_of(epoch);
  std::byte* slot = task.buffers[epoch % 2] + slot_of_pair(pair);
  uint4 low;
  uint4 high{};
  const auto look = [&] {
    low = load_packet(slot);
    if (both) high = load_packet(slot + high_packet);
    return is_there(low, mark) && (!both || is_there(high, mark));
  };
  if (!look()) {
    const Waiting waiting{epoch, nanoseconds()};
    for (unsigned polls = 1; !look(); ++polls) {
      if (polls % polls_between_looks == 0 && leave_packets(board, part, waiting, polls / polls_between_looks)) {
        return false;
      }
    }
  }
  *reinterpret_cast<uint4*>(slot) = uint4{};
  if (both) *reinterpret_cast<uint4*>(slot + high_packet) = uint4{};
  const std::uint32_t word[words_of_pair] = {low.x,  low.y,  low.z, (low.w & ~mark_bits) | (high.w << 16),
                                             high.x, high.y, high.z};
  auto* to = reinterpret_cast<std::uint32_t*>(task.cells + place.cells);
#pragma unroll
  for (std::uint32_t i = 0; i < words_of_pair; ++i) {
    if (i < place.words) to[i * task.row.divisor] = word[i];
  }
  return true;
}

}  // namespace halocline::device::cuda

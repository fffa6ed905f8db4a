// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "device/cuda/flag_waits.cuh"
#include "device/cuda/fused_table.hpp"
#include "device/cuda/packets.cuh"

// Block 0 of a fused exchange: it signals "ready", waits for all arrivals, and advances the epochs.
namespace halocline::device::cuda {

inline constexpr std::uint32_t warp_threads = 32;

/// A counter by which the blocks of one device synchronise.
using DeviceCount = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

/// The epochs of this exchange, by participant; each block has a copy in shared memory.
extern __shared__ std::uint64_t exchange_epochs[];

__device__ inline std::uint64_t* epoch_of(const FusedTable& table, std::uint32_t participant) {
  return participant < table.first_epochs.size() ? table.first_epochs[participant] : table.epochs[participant];
}

/// Block 0 stores when it sees each arrival, for some milliseconds; it waits for them afterwards in any case. In rounds, as the
/// threads of a warp that leave a loop of their own wait for each other before they read the clock.
__device__ inline void stamp_arrivals(const FusedTable& table) {
  constexpr std::uint64_t longest_ns = 10'000'000;
  const std::uint64_t begun = nanoseconds();
  const std::uint32_t i = threadIdx.x;
  bool seen = i >= table.receive_count || table.receives[i].buffers[0] != nullptr || table.receives[i].port;
  // All threads of a warp leave together.
  while (__any_sync(~0u, !seen && nanoseconds() - begun < longest_ns) != 0) {
    if (seen || !reached(table.receives[i].arrived, exchange_epochs[table.receives[i].participant])) continue;
    table.stamps.arrivals[i] = nanoseconds();
    seen = true;
  }
  __syncthreads();
}

/// The receive that this thread of block 0 serves first. Warp 0 has none while there are other warps for them: it loads what the
/// kernel begins with, and a fence waits for the loads of its own thread.
__device__ inline std::uint32_t first_receive() { return (threadIdx.x + block_threads - warp_threads) % block_threads; }

/// Orders what earlier kernels and copies of this stream read and wrote before the "ready" flags of this one, as they happen-before
/// it: with signal_behind_fence() in the same thread, a release. It takes a microsecond, and so comes before the kernel's first
/// barrier, beside the loads.
__device__ inline void fence_for_ready(const FusedTable& table) {
  if (blockIdx.x == 0 && first_receive() < table.receive_count) fence_system();
}

/// Waits for what a network engine lands, and passes each arrival on, in rounds, for the same reason as above: no arrival waits for
/// another.
template <bool stamped>
__device__ bool relay_arrivals(const FusedTable& table) {
  bool there = true;
#pragma unroll 1
  for (std::uint32_t first = 0; first < table.receive_count; first += block_threads) {
    const std::uint32_t i = first + first_receive();
    bool pending = i < table.receive_count && table.receives[i].port;
    const ReceivePart& part = table.receives[pending ? i : 0];
    const std::uint64_t epoch = exchange_epochs[part.participant];
    const WaitEntry wait = in_turn(part.arrived, epoch);
    const Waiting waiting{epoch, nanoseconds()};
    for (unsigned polls = 1; __any_sync(~0u, pending) != 0; ++polls) {
      if (!pending) continue;
      if (reached_in_turn(wait, epoch)) {
        pending = false;
        if (accept_in_turn(table.board, wait, epoch)) {
          release(&table.relays[part.relay], {epoch, wait.token});
          if constexpr (stamped) table.stamps.arrivals[i] = nanoseconds();
        } else {
          there = false;
        }
      } else if (polls % polls_between_looks == 0 && given_up(table.board, wait, waiting)) {
        pending = false;
        there = false;
      }
    }
  }
  return there;
}

/// The end of a Put: the other side has begun this exchange, and the put before has left its buffer.
__device__ inline bool wait_for_engine(Board* board, const WaitEntry& ready, std::uint64_t epoch) {
  const WaitEntry wait = in_turn(ready, epoch);
  const Waiting waiting{epoch, nanoseconds()};
  for (unsigned polls = 1; !reached_in_turn(wait, epoch); ++polls) {
    if (polls % polls_between_looks == 0 && given_up(board, wait, waiting)) return false;
  }
  return accept_in_turn(board, wait, epoch);
}

/// Block 0, which is dispatched first, so that it does not depend on other blocks to end. It waits for everything that the
/// others wait for, except packets. It sends all its signals before it waits for anything.
template <bool with_packets, bool with_ports, bool stamped>
__device__ bool coordinate(const FusedTable& table) {
  if (stamped && threadIdx.x == 0) table.stamps.coordinator[0] = nanoseconds();
#pragma unroll 1
  for (std::uint32_t i = first_receive(); i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    const std::uint64_t epoch = exchange_epochs[part.participant];
    if (with_ports && part.port) {
      signal_in_turn(part.ready, epoch);
    } else if (part.ready.flag != nullptr) {
      signal_behind_fence(part.ready, epoch);
    }
  }
  // Sends begin at the last thread, so that other warps than those of the receives handle them, while there are enough.
  if constexpr (with_packets) {
#pragma unroll 1
    for (std::uint32_t i = block_threads - 1 - threadIdx.x; i < table.send_count; i += block_threads) {
      const SendPart& part = table.sends[i];
      if (part.buffers[0] != nullptr) announce(part, exchange_epochs[part.participant]);
    }
  }
  if constexpr (stamped) {
    __syncthreads();
    if (threadIdx.x == 0) table.stamps.coordinator[1] = nanoseconds();
    stamp_arrivals(table);
  }
  bool there = true;
  if constexpr (with_ports) there = relay_arrivals<stamped>(table);
#pragma unroll 1
  for (std::uint32_t i = first_receive(); i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    if (with_ports && part.port) continue;
    const std::uint64_t epoch = exchange_epochs[part.participant];
    if (with_packets && part.buffers[0] != nullptr) {
      there = wait_for_announcement(table.board, part, epoch) && there;
    } else {
      there = wait_for(table.board, part.arrived, epoch) && there;
      if constexpr (stamped) {  // later than stamp_arrivals() looked, or one of more parts than threads
        if (there && table.stamps.arrivals[i] == 0) table.stamps.arrivals[i] = nanoseconds();
      }
    }
  }
#pragma unroll 1
  for (std::uint32_t i = block_threads - 1 - threadIdx.x; i < table.send_count; i += block_threads) {
    const SendPart& part = table.sends[i];
    const std::uint64_t epoch = exchange_epochs[part.participant];
    if (with_packets && part.buffers[0] != nullptr) {
      there = wait_for_receiver(table.board, part, epoch) && there;
    } else if (with_ports && part.port) {
      there = wait_for_engine(table.board, part.ready, epoch) && there;
    } else {
      there = watch(table.board, part.ready, epoch) && there;
    }
  }
  return there;
}

/// The last step of block 0: advances the epochs after all blocks have read them, which is the first thing that they do. The
/// end of the kernel orders this before the next reads.
__device__ inline void advance_epochs(const FusedTable& table) {
  const DeviceCount readers(*table.readers);
  while (readers.load(::cuda::memory_order_acquire) != gridDim.x - 1) {
    if (stopped(table.board)) return;
  }
  readers.store(0, ::cuda::memory_order_relaxed);
#pragma unroll 1
  for (std::uint32_t i = 0; i < table.participant_count; ++i) store_relaxed(epoch_of(table, i), exchange_epochs[i]);
}

}  // namespace halocline::device::cuda

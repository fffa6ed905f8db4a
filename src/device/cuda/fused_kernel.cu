// SPDX-License-Identifier: BSD-3-Clause
// A whole exchange of a device in one kernel: the steps of a FusedPlan (docs/decisions/0010). Block 0 signals "ready" and waits
// for all arrivals; each of the others works on its shares, in their order.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nv/target>

#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/early_start.hpp"
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/kernels.hpp"
#include "device/cuda/packets.cuh"

namespace halocline::device::cuda {
namespace {

constexpr std::uint32_t warp_threads = 32;

/// A counter by which the blocks of one device synchronise.
using DeviceCount = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

// Programmatic dependent launch: if launch_fused() allows it, a kernel may be resident before the previous one in its stream
// has ended; it then first waits for that end itself. Code for compute capabilities below 9.0 does not wait, and must not be
// launched in this way (early_start.hpp).
__device__ void follow_previous_kernel() { NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) }
__device__ void let_next_kernel_start() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
}

/// The epochs of this exchange, by participant; each block has a copy in shared memory.
extern __shared__ std::uint64_t exchange_epochs[];

__device__ std::uint64_t* epoch_of(const FusedTable& table, std::uint32_t participant) {
  return participant < table.first_epochs.size() ? table.first_epochs[participant] : table.epochs[participant];
}

/// Thread 0 of a block waits for all its threads. Not inlined, as each kind of copy has a gate. The result is the same for all
/// threads.
__device__ __noinline__ bool block_waits_for(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  bool there = true;
  if (threadIdx.x == 0) there = wait_beside(board, wait, epoch);
  return __syncthreads_and(there) != 0;
}

/// Stores the time of this block's share, entry `number` of the table's work; nothing without a tracer.
template <bool stamped, std::uint64_t ShareStamps::*moment>
__device__ void stamp(const FusedTable& table, std::uint32_t number) {
  if constexpr (stamped) {
    if (threadIdx.x == 0) table.stamps.shares[number].*moment = nanoseconds();
  }
}

/// Block 0 stores when it sees each arrival, for some milliseconds; it waits for them afterwards in any case. In rounds, as the
/// threads of a warp that leave a loop of their own wait for each other before they read the clock.
__device__ void stamp_arrivals(const FusedTable& table) {
  constexpr std::uint64_t longest_ns = 10'000'000;
  const std::uint64_t begun = nanoseconds();
  const std::uint32_t i = threadIdx.x;
  bool seen = i >= table.receive_count || table.receives[i].buffers[0] != nullptr;
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
__device__ std::uint32_t first_receive() { return (threadIdx.x + block_threads - warp_threads) % block_threads; }

/// Orders what earlier kernels and copies of this stream read and wrote before the "ready" flags of this one, as they happen-before
/// it: with signal_behind_fence() in the same thread, a release. It takes a microsecond, and so comes before the kernel's first
/// barrier, beside the loads.
__device__ void fence_for_ready(const FusedTable& table) {
  if (blockIdx.x == 0 && first_receive() < table.receive_count) fence_system();
}

/// Block 0, which is dispatched first, so that it does not depend on other blocks to end. It waits for everything that the
/// others wait for, except packets. It sends all its signals before it waits for anything.
template <bool with_packets, bool stamped>
__device__ bool coordinate(const FusedTable& table) {
  if (stamped && threadIdx.x == 0) table.stamps.coordinator[0] = nanoseconds();
#pragma unroll 1
  for (std::uint32_t i = first_receive(); i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    if (part.ready.flag != nullptr) signal_behind_fence(part.ready, exchange_epochs[part.participant]);
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
#pragma unroll 1
  for (std::uint32_t i = first_receive(); i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
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
    } else {
      there = watch(table.board, part.ready, epoch) && there;
    }
  }
  return there;
}

/// The last step of block 0: advances the epochs after all blocks have read them, which is the first thing that they do. The
/// end of the kernel orders this before the next reads.
__device__ void advance_epochs(const FusedTable& table) {
  const DeviceCount readers(*table.readers);
  while (readers.load(::cuda::memory_order_acquire) != gridDim.x - 1) {
    if (stopped(table.board)) return;
  }
  readers.store(0, ::cuda::memory_order_relaxed);
#pragma unroll 1
  for (std::uint32_t i = 0; i < table.participant_count; ++i) store_relaxed(epoch_of(table, i), exchange_epochs[i]);
}

/// The wait of a share. A send waits between its first loads and its first store: owned cells may be read before "ready" has
/// arrived, which shortens the critical path. A receive waits before its loads.
template <bool stamped>
struct Gate {
  const FusedTable& table;
  const Share& share;
  std::uint32_t number;  ///< of the share, for stamp()
  bool waited;

  /// The result is the same for all threads.
  __device__ bool wait() {
    waited = true;
    const bool sends = share.role == Role::send;
    const WaitEntry& wait = sends ? table.sends[share.part].ready : table.receives[share.part].arrived;
    const std::uint32_t participant =
        sends ? table.sends[share.part].participant : table.receives[share.part].participant;
    const bool there = block_waits_for(table.board, wait, exchange_epochs[participant]);
    stamp<stamped, &ShareStamps::waited>(table, number);
    return there;
  }
  __device__ bool operator()() { return waited || wait(); }
};

/// The tiles of a share after its first one. Links do not serve all multiprocessors alike, and a part has arrived when its slowest
/// block is done; so from the third one on the warps of a send that has many tiles claim them. A claim takes the time of an access
/// to the L2 cache, and is made while the tile before the one before it is copied.
struct RestOfShare {
  const FusedTable& table;
  const Share& share;
  std::uint32_t at;  ///< the next tile
  std::uint32_t claimed = 0;
  CopyTile loaded{};

  __device__ RestOfShare(const FusedTable& its_table, const Share& its_share)
      : table(its_table), share(its_share), at(share.first + share.stride) {}

  __device__ void prepare() {
    if (at < share.end) loaded = table.tiles[at];
    if (share.claimed_from != 0 && threadIdx.x % warp_threads == 0) {
      const DeviceCount claims(table.claims[share.part].tiles[threadIdx.x / warp_threads]);
      claimed = claims.fetch_add(1, ::cuda::memory_order_relaxed);
    }
  }
  __device__ bool next(CopyTile& tile) {
    if (at >= share.end) return false;
    tile = loaded;
    at = share.claimed_from != 0 ? share.claimed_from + __shfl_sync(~0u, claimed, 0) : at + share.stride;
    return true;
  }
};

/// Copies the tiles of a share; the gate is called as in copy_units(). Returns false if it returned false.
template <bool with_conversions, bool stamped>
__device__ bool copy_share(const FusedTable& table, const Work& work, Gate<stamped>& gate) {
  const Share& share = work.share;
  if (share.first >= share.end) return true;
  return copy_tiles<with_conversions>(work.cells.shape, table.shapes, work.cells.tile, RestOfShare(table, share), gate);
}

/// Called when this block has stored its tiles of a part. The last block of the part signals "arrived".
__device__ void finish_send(const FusedTable& table, std::uint32_t number) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  const SendPart& part = table.sends[number];
  // The last block acquires the stores that the others have released, and releases them with its signal.
  if (part.blocks > 1) {
    std::uint32_t& count = table.sent[number];
    if (DeviceCount(count).fetch_add(1, ::cuda::memory_order_acq_rel) != part.blocks - 1) return;
    count = 0;
    table.claims[number] = {};
  }
  signal(part.arrived, exchange_epochs[part.participant]);
}

/// Puts or takes the tiles of a share. Threads proceed independently; those that found the device stopped return false.
template <bool stamped>
__device__ __noinline__ bool move_packets(const FusedTable& table, const Work& work, std::uint32_t number) {
  const Share share = work.share;
  const bool puts = share.role == Role::put;
  const std::uint64_t epoch =
      exchange_epochs[puts ? table.sends[share.part].participant : table.receives[share.part].participant];
  const PacketTask* task = &work.packets.task;
  std::uint32_t first = work.packets.tile.first;
  for (std::uint32_t at = share.first; at < share.end;) {
    at += share.stride;
    const PacketTile next = at < share.end ? table.packet_tiles[at] : PacketTile{};
    if (puts) {
      put_packets(*task, first, epoch);
    } else if (!take_packets(table.board, table.receives[share.part], *task, first, epoch)) {
      return false;
    } else if (at == share.first + share.stride) {
      stamp<stamped, &ShareStamps::waited>(table, number);
    }
    task = &table.packet_tasks[next.task];
    first = next.first;
  }
  return true;
}

/// Works on all shares of a block.
template <bool with_packets, bool with_conversions, bool stamped>
__device__ void do_all(const FusedTable& table, const Work& first) {
  const Work* work = &first;
  std::uint32_t number = blockIdx.x - 1;
  while (true) {
    const Share& share = work->share;
    stamp<stamped, &ShareStamps::begin>(table, number);
    stamp<stamped, &ShareStamps::waited>(table, number);
    if (with_packets && (share.role == Role::put || share.role == Role::take)) {
      const bool moved = move_packets<stamped>(table, *work, number);
      if (stamped) __syncthreads();
      stamp<stamped, &ShareStamps::end>(table, number);
      if (work->next == Work::none || __syncthreads_and(moved) == 0) return;
    } else {
      Gate<stamped> gate{table, share, number, share.open || share.role == Role::local};
      if (share.role == Role::receive && !gate()) return;
      if (!copy_share<with_conversions>(table, *work, gate)) return;
      if (share.role == Role::send) {
        if (!gate()) return;
        finish_send(table, share.part);
      } else if (stamped) {
        __syncthreads();
      }
      stamp<stamped, &ShareStamps::end>(table, number);
      if (work->next == Work::none) return;
    }
    number = work->next;
    work = &table.work[number];
  }
}

/// Several kernels, so that exchanges without packets, without conversions, and without a tracer use no registers for them.
template <bool with_packets, bool with_conversions, bool stamped = false>
__global__ void __launch_bounds__(block_threads, 4) fused_kernel(const __grid_constant__ FusedTable table) {
  follow_previous_kernel();
  fence_for_ready(table);
  // These loads are all in flight together.
  __shared__ alignas(Work) std::uint32_t first_work[sizeof(Work) / sizeof(std::uint32_t)];
  if (blockIdx.x != 0 && threadIdx.x < std::size(first_work)) {
    first_work[threadIdx.x] = reinterpret_cast<const std::uint32_t*>(&table.work[blockIdx.x - 1])[threadIdx.x];
  }
  bool go = threadIdx.x != 0 || !stopped(table.board);
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < table.participant_count; i += block_threads) {
    exchange_epochs[i] = load_relaxed(epoch_of(table, i)) + 1;
  }
  for (std::uint32_t i = threadIdx.x; i < table.check_count; i += block_threads) {
    go = as_expected(table.board, table.checks[i]) && go;
  }
  if (__syncthreads_and(go) == 0) return;
  // If a block gives up, the device is stopped, and nothing that was left undone is signalled.
  if (blockIdx.x == 0) {
    const bool there = coordinate<with_packets, stamped>(table);
    if (__syncthreads_and(there) == 0) return;
    let_next_kernel_start();
    if (threadIdx.x == 0) advance_epochs(table);
  } else {
    if (threadIdx.x == 0) DeviceCount(*table.readers).fetch_add(1, ::cuda::memory_order_release);
    do_all<with_packets, with_conversions, stamped>(table, *reinterpret_cast<const Work*>(first_work));
  }
}

const void* kernel_for(bool with_packets, bool with_conversions) {
  if (with_conversions) {
    return with_packets ? reinterpret_cast<const void*>(fused_kernel<true, true>)
                        : reinterpret_cast<const void*>(fused_kernel<false, true>);
  }
  return with_packets ? reinterpret_cast<const void*>(fused_kernel<true, false>)
                      : reinterpret_cast<const void*>(fused_kernel<false, false>);
}

/// For all exchanges that a tracer records.
const void* stamped_kernel() { return reinterpret_cast<const void*>(fused_kernel<true, true, true>); }

std::array<const void*, 5> all_kernels() {
  return {kernel_for(false, false), kernel_for(true, false), kernel_for(false, true), kernel_for(true, true),
          stamped_kernel()};
}

}  // namespace

cudaError_t launch_fused(cudaStream_t stream, const FusedTable& table, unsigned workers, bool early) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(workers + 1);
  config.blockDim = dim3(block_threads);
  config.dynamicSmemBytes = table.participant_count * sizeof(std::uint64_t);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  FusedTable copy = table;
  void* parameters[] = {&copy};
  const void* kernel =
      table.stamps.shares != nullptr ? stamped_kernel() : kernel_for(table.has_packets, table.converts);
  return cudaLaunchKernelExC(&config, kernel, parameters);
}

cudaError_t load_fused_kernel() {
  cudaFuncAttributes attributes;
  for (const void* kernel : all_kernels()) {
    const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t fused_kernel_may_start_early(bool* may) {
  *may = true;
  for (const void* kernel : all_kernels()) {
    cudaFuncAttributes attributes;
    const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
    if (status != cudaSuccess) return status;
    *may = *may && waits_for_previous_kernel(attributes.ptxVersion);
  }
  return cudaSuccess;
}

cudaError_t fused_blocks_at_once(int* blocks) {
  *blocks = std::numeric_limits<int>::max();
  for (const void* kernel : all_kernels()) {
    int of_one = 0;
    const cudaError_t status =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, static_cast<int>(block_threads), 0);
    if (status != cudaSuccess) return status;
    *blocks = std::min(*blocks, of_one);
  }
  return cudaSuccess;
}

}  // namespace halocline::device::cuda

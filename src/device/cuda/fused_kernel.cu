// SPDX-License-Identifier: BSD-3-Clause
// A whole exchange of a device in one kernel: the steps of a FusedPlan (docs/decisions/0010). Block 0 signals "ready" and waits
// for all arrivals; each of the others works on its shares, in their order.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nv/target>
#include <type_traits>

#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/early_start.hpp"
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/fused_coordinator.cuh"
#include "device/cuda/kernels.hpp"
#include "device/cuda/packets.cuh"

namespace halocline::device::cuda {
namespace {

// Programmatic dependent launch: if launch_fused() allows it, a kernel may be resident before the previous one in its stream
// has ended; it then first waits for that end itself. Code for compute capabilities below 9.0 does not wait, and must not be
// launched in this way (early_start.hpp).
__device__ void follow_previous_kernel() { NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) }
__device__ void let_next_kernel_start() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
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

/// The wait for what block 0 passes on.
__device__ WaitEntry relayed(const FusedTable& table, const ReceivePart& part) {
  WaitEntry wait = part.arrived;
  wait.flag = &table.relays[part.relay];
  wait.odd = nullptr;
  return wait;
}

/// The wait of a share. A send waits between its first loads and its first store: owned cells may be read before "ready" has
/// arrived, which shortens the critical path. A receive waits before its loads.
template <bool with_ports, bool stamped>
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
    const std::uint64_t epoch = exchange_epochs[participant];
    bool there = false;
    if (with_ports && !sends && table.receives[share.part].port) {
      there = block_waits_for(table.board, relayed(table, table.receives[share.part]), epoch);
    } else {
      there = block_waits_for(table.board, wait, epoch);
    }
    stamp<stamped, &ShareStamps::waited>(table, number);
    return there;
  }
  __device__ bool operator()() { return waited || wait(); }
};

/// Shifts the tiles of a port's share to the second buffer in odd exchanges.
struct Turn {
  std::int64_t source = 0;
  std::int64_t target = 0;
  __device__ Turn(const FusedTable& table, const Share& share) {
    const bool sends = share.role == Role::send;
    if (!sends && share.role != Role::receive) return;
    const std::uint32_t participant =
        sends ? table.sends[share.part].participant : table.receives[share.part].participant;
    if (exchange_epochs[participant] % 2 == 0) return;
    if (sends) {
      target = table.sends[share.part].to_odd;
    } else {
      source = table.receives[share.part].to_odd;
    }
  }
  __device__ void apply(CopyTile& tile) const {
    tile.source += source;
    tile.target += target;
  }
};
/// Without ports.
struct NoTurn {
  __device__ NoTurn(const FusedTable& /*table*/, const Share& /*share*/) {}
  __device__ void apply(CopyTile& /*tile*/) const {}
};

/// The tiles of a share after its first one. Links do not serve all multiprocessors alike, and a part has arrived when its slowest
/// block is done; so from the third one on the warps of a send that has many tiles claim them. A claim takes the time of an access
/// to the L2 cache, and is made while the tile before the one before it is copied.
template <typename InTurn>
struct RestOfShare {
  const FusedTable& table;
  const Share& share;
  InTurn turn;
  std::uint32_t at;  ///< the next tile
  std::uint32_t claimed = 0;
  CopyTile loaded{};

  __device__ RestOfShare(const FusedTable& its_table, const Share& its_share, const InTurn& its_turn)
      : table(its_table), share(its_share), turn(its_turn), at(share.first + share.stride) {}

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
    turn.apply(tile);
    at = share.claimed_from != 0 ? share.claimed_from + __shfl_sync(~0u, claimed, 0) : at + share.stride;
    return true;
  }
};

/// Copies the tiles of a share; the gate is called as in copy_units(). Returns false if it returned false.
template <bool with_conversions, bool with_ports, bool stamped>
__device__ bool copy_share(const FusedTable& table, const Work& work, Gate<with_ports, stamped>& gate) {
  const Share& share = work.share;
  if (share.first >= share.end) return true;
  const std::conditional_t<with_ports, Turn, NoTurn> turn(table, share);
  CopyTile first = work.cells.tile;
  turn.apply(first);
  return copy_tiles<with_conversions>(work.cells.shape, table.shapes, first, RestOfShare(table, share, turn), gate);
}

/// Called when this block has stored its tiles of a part. The last block of the part signals "arrived".
template <bool with_ports>
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
  const std::uint64_t epoch = exchange_epochs[part.participant];
  if (with_ports && part.port) {
    signal_in_turn(part.arrived, epoch);
  } else {
    signal(part.arrived, epoch);
  }
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
template <bool with_packets, bool with_conversions, bool with_ports, bool stamped>
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
      Gate<with_ports, stamped> gate{table, share, number, share.open || share.role == Role::local};
      if (share.role == Role::receive && !gate()) return;
      if (!copy_share<with_conversions>(table, *work, gate)) return;
      if (share.role == Role::send) {
        if (!gate()) return;
        finish_send<with_ports>(table, share.part);
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
template <bool with_packets, bool with_conversions, bool with_ports = false, bool stamped = false>
__global__ void __launch_bounds__(block_threads, 4) fused_kernel(const __grid_constant__ FusedTable table) {
  follow_previous_kernel();
  if (table.next_may_start) let_next_kernel_start();
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
    const bool there = coordinate<with_packets, with_ports, stamped>(table);
    if (__syncthreads_and(there) == 0) return;
    if (!table.next_may_start) let_next_kernel_start();
    if (threadIdx.x == 0) advance_epochs(table);
  } else {
    if (threadIdx.x == 0) DeviceCount(*table.readers).fetch_add(1, ::cuda::memory_order_release);
    do_all<with_packets, with_conversions, with_ports, stamped>(table, *reinterpret_cast<const Work*>(first_work));
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

/// For exchanges with ports, which wait for a network anyway.
const void* ports_kernel() { return reinterpret_cast<const void*>(fused_kernel<true, true, true>); }
/// For all exchanges that a tracer records.
const void* stamped_kernel() { return reinterpret_cast<const void*>(fused_kernel<true, true, true, true>); }

const void* kernel_for(const FusedTable& table) {
  if (table.stamps.shares != nullptr) return stamped_kernel();
  return table.has_ports ? ports_kernel() : kernel_for(table.has_packets, table.converts);
}

std::array<const void*, 6> all_kernels() {
  return {kernel_for(false, false), kernel_for(true, false), kernel_for(false, true),
          kernel_for(true, true),   ports_kernel(),          stamped_kernel()};
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
  return cudaLaunchKernelExC(&config, kernel_for(table), parameters);
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

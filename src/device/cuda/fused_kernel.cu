// A whole exchange of a device as one kernel: the steps of a FusedPlan, which are those of docs/decisions/0010. Block 0 says
// "ready" and waits for all arrivals; the others work, each on its shares, in their order.
#include <nv/target>

#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/kernels.hpp"

namespace halocline::device::cuda {
namespace {

/// Counters of one device, by which its blocks meet.
using DeviceCount = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

// A kernel behind this one in its stream may be brought to the device before this one has ended, where launch_fused() says
// so of it; it then waits for the end itself, first of all.
__device__ void follow_previous_kernel() { NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) }
__device__ void let_next_kernel_start() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
}

/// The epochs of this exchange, by party. Every block has them in shared memory.
extern __shared__ std::uint64_t exchange_epochs[];

__device__ std::uint64_t* epoch_of(const FusedTable& table, std::uint32_t party) {
  return party < table.first_epochs.size() ? table.first_epochs[party] : table.epochs[party];
}

/// A block's thread 0 waits for all of them. Called, not inlined, as each kind of copy has a gate. True for all threads, or false for all.
__device__ __noinline__ bool block_waits_for(Board* board, const WaitEntry& wait, std::uint64_t epoch) {
  bool there = true;
  if (threadIdx.x == 0) there = wait_beside(board, wait, epoch);
  return __syncthreads_and(there) != 0;
}

/// The first block to be dispatched, which it takes no work of others to be. It waits for all that the others wait for.
__device__ bool coordinate(const FusedTable& table) {
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    if (part.ready.flag != nullptr) signal(part.ready, exchange_epochs[part.party]);
  }
  bool there = true;
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    there = wait_for(table.board, part.arrived, exchange_epochs[part.party]) && there;
  }
  // From the last thread on: so that these are other warps than those above, as long as there are some.
#pragma unroll 1
  for (std::uint32_t i = block_threads - 1 - threadIdx.x; i < table.send_count; i += block_threads) {
    const SendPart& part = table.sends[i];
    there = watch(table.board, part.ready, exchange_epochs[part.party]) && there;
  }
  return there;
}

/// The coordinator's last: the epochs advance when all blocks have read them, which they do first of all. The end of the
/// kernel orders it before whatever reads them next.
__device__ void advance_epochs(const FusedTable& table) {
  const DeviceCount readers(*table.readers);
  while (readers.load(::cuda::memory_order_acquire) != gridDim.x - 1) {
    if (stopped(table.board)) return;
  }
  readers.store(0, ::cuda::memory_order_relaxed);
#pragma unroll 1
  for (std::uint32_t i = 0; i < table.party_count; ++i) store_relaxed(epoch_of(table, i), exchange_epochs[i]);
}

/// The wait that a share has: of a send between its first loads and its first store, because owned cells may be read before
/// "ready" is there, and the way is shorter then; of a receive before its loads.
struct Gate {
  const FusedTable& table;
  const Share& share;
  bool waited;

  /// True for all threads, or false for all.
  __device__ bool wait() {
    waited = true;
    const bool sends = share.role == Role::send;
    const WaitEntry& wait = sends ? table.sends[share.part].ready : table.receives[share.part].arrived;
    const std::uint32_t party = sends ? table.sends[share.part].party : table.receives[share.part].party;
    return block_waits_for(table.board, wait, exchange_epochs[party]);
  }
  __device__ bool operator()() { return waited || wait(); }
};

/// The tiles of a share, with its gate as copy_units() has it. False where it did not open.
__device__ bool copy_share(const FusedTable& table, const Work& work, Gate& gate) {
  CopyTile tile = work.tile;
  for (std::uint32_t at = work.share.first; at < work.share.end;) {
    // The next tile's number is on its way while this one is copied.
    at += work.share.stride;
    const CopyTile next = at < work.share.end ? table.tiles[at] : tile;
    if (!copy_tile(table.tasks[tile.task], tile.first, gate)) return false;
    tile = next;
  }
  return true;
}

/// This block's stores of a part are done; "arrived" is behind those of all blocks.
__device__ void finish_send(const FusedTable& table, std::uint32_t number) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  const SendPart& part = table.sends[number];
  // All blocks of the part meet: the last one has acquired what the others released, their stores, and passes it on.
  if (part.blocks > 1) {
    std::uint32_t& count = table.sent[number];
    if (DeviceCount(count).fetch_add(1, ::cuda::memory_order_acq_rel) != part.blocks - 1) return;
    count = 0;
  }
  signal(part.arrived, exchange_epochs[part.party]);
}

/// What `work` begins.
__device__ void do_all(const FusedTable& table, Work work) {
  while (true) {
    Gate gate{table, work.share, work.share.open || work.share.role == Role::local};
    if (work.share.role == Role::receive && !gate()) return;
    if (!copy_share(table, work, gate)) return;
    if (work.share.role == Role::send) {
      if (!gate()) return;
      finish_send(table, work.share.part);
    }
    if (work.next == Work::none) return;
    work = table.work[work.next];
  }
}

__global__ void __launch_bounds__(block_threads, 4) fused_kernel(const __grid_constant__ FusedTable table) {
  follow_previous_kernel();
  // All of these are on their way together.
  const Work work = blockIdx.x == 0 ? Work{} : table.work[blockIdx.x - 1];
  bool go = threadIdx.x != 0 || !stopped(table.board);
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < table.party_count; i += block_threads) {
    exchange_epochs[i] = load_relaxed(epoch_of(table, i)) + 1;
  }
  for (std::uint32_t i = threadIdx.x; i < table.check_count; i += block_threads) {
    go = as_expected(table.board, table.checks[i]) && go;
  }
  if (__syncthreads_and(go) == 0) return;
  // Where one gives up, the device is stopped, and what it left undone is told to nobody.
  if (blockIdx.x == 0) {
    const bool there = coordinate(table);
    if (__syncthreads_and(there) == 0) return;
    let_next_kernel_start();
    if (threadIdx.x == 0) advance_epochs(table);
  } else {
    if (threadIdx.x == 0) DeviceCount(*table.readers).fetch_add(1, ::cuda::memory_order_release);
    do_all(table, work);
  }
}

}  // namespace

cudaError_t launch_fused(cudaStream_t stream, const FusedTable& table, unsigned workers, bool early) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(workers + 1);
  config.blockDim = dim3(block_threads);
  config.dynamicSmemBytes = table.party_count * sizeof(std::uint64_t);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  FusedTable copy = table;
  void* parameters[] = {&copy};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(fused_kernel), parameters);
}

cudaError_t load_fused_kernel() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(fused_kernel));
}

cudaError_t fused_blocks_at_once(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, fused_kernel, static_cast<int>(block_threads), 0);
}

}  // namespace halocline::device::cuda

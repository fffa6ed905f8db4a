// A whole exchange of a device as one kernel: the steps of a FusedPlan, which are those of docs/decisions/0010. Block 0 says
// "ready" and waits for all arrivals; the others work, each on its shares, in their order.
#include "device/cuda/copy_tiles.cuh"
#include "device/cuda/flag_waits.cuh"
#include "device/cuda/kernels.hpp"

namespace halocline::device::cuda {
namespace {

/// Counters of one device, by which its blocks meet.
using DeviceCount = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

/// A block's thread 0 waits for all of them. True for all threads, or false for all.
__device__ bool block_waits_for(Board* board, const WaitEntry& wait, const std::uint64_t* epoch) {
  bool there = true;
  if (threadIdx.x == 0) there = wait_beside(board, wait, load_relaxed(epoch) + 1);
  return __syncthreads_and(there) != 0;
}

/// The first block to be dispatched, which it takes no work of others to be. It waits for all that the others wait for.
__device__ bool coordinate(const FusedTable& table) {
  for (std::uint32_t i = threadIdx.x; i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    signal(part.ready, load_relaxed(part.epoch) + 1);
  }
  bool there = true;
  for (std::uint32_t i = threadIdx.x; i < table.receive_count; i += block_threads) {
    const ReceivePart& part = table.receives[i];
    there = wait_for(table.board, part.arrived, load_relaxed(part.epoch) + 1) && there;
  }
  // From the last thread on: so that these are other warps than those above, as long as there are some.
  for (std::uint32_t i = block_threads - 1 - threadIdx.x; i < table.send_count; i += block_threads) {
    const SendPart& part = table.sends[i];
    there = watch(table.board, part.ready, load_relaxed(part.epoch) + 1) && there;
  }
  return there;
}

/// The tiles of a share. gate() as copy_units() has it.
template <typename Gate>
__device__ void copy_share(const FusedTable& table, const Work& work, Gate&& gate) {
  CopyTile tile = work.tile;
  for (std::uint32_t at = work.share.first; at < work.share.end;) {
    // The next tile's number is on its way while this one is copied.
    at += work.share.stride;
    const CopyTile next = at < work.share.end ? table.tiles[at] : tile;
    copy_tile(table.tasks[tile.task], tile.first, gate);
    tile = next;
  }
}

/// Owned cells are read before "ready" is there: they may be, and the way there is shorter then.
__device__ bool send(const FusedTable& table, const Work& work) {
  const SendPart& part = table.sends[work.share.part];
  bool waited = false;
  bool go = false;
  const auto ready = [&] {
    if (!waited) go = block_waits_for(table.board, part.ready, part.epoch);
    waited = true;
    return go;
  };
  copy_share(table, work, ready);
  if (!ready()) return false;
  __syncthreads();
  if (threadIdx.x != 0) return true;
  // All blocks of the part meet: the last one has acquired what the others released, their stores, and passes it on.
  if (part.blocks > 1) {
    std::uint32_t& count = table.sent[work.share.part];
    if (DeviceCount(count).fetch_add(1, ::cuda::memory_order_acq_rel) != part.blocks - 1) return true;
    count = 0;
  }
  signal(part.arrived, load_relaxed(part.epoch) + 1);
  return true;
}

__device__ bool receive(const FusedTable& table, const Work& work) {
  const ReceivePart& part = table.receives[work.share.part];
  if (!block_waits_for(table.board, part.arrived, part.epoch)) return false;
  copy_share(table, work, [] { return true; });
  return true;
}

/// What `work` begins.
__device__ bool do_all(const FusedTable& table, Work work) {
  while (true) {
    switch (work.share.role) {
      case Role::send:
        if (!send(table, work)) return false;
        break;
      case Role::local: copy_share(table, work, [] { return true; }); break;
      case Role::receive:
        if (!receive(table, work)) return false;
        break;
    }
    if (work.next == Work::none) return true;
    work = table.work[work.next];
  }
}

/// The epochs advance when all blocks have read them, and all is done.
__device__ void leave(const FusedTable& table) {
  if (threadIdx.x != 0) return;
  if (DeviceCount(*table.left).fetch_add(1, ::cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  *table.left = 0;
  for (std::uint32_t i = 0; i < table.party_count; ++i) {
    release(table.epochs[i], load_relaxed(table.epochs[i]) + 1);
  }
}

__global__ void __launch_bounds__(block_threads, 4) fused_kernel(const __grid_constant__ FusedTable table) {
  // On its way beside what follows.
  const Work work = blockIdx.x == 0 ? Work{} : table.work[blockIdx.x - 1];
  bool go = threadIdx.x != 0 || !stopped(table.board);
  for (std::uint32_t i = threadIdx.x; i < table.check_count; i += block_threads) {
    go = as_expected(table.board, table.checks[i]) && go;
  }
  if (__syncthreads_and(go) == 0) return;
  // Where one gives up, the device is stopped, and what it left undone is told to nobody.
  const bool done = blockIdx.x == 0 ? coordinate(table) : do_all(table, work);
  if (__syncthreads_and(done) != 0) leave(table);
}

}  // namespace

cudaError_t launch_fused(cudaStream_t stream, const FusedTable& table, unsigned workers) {
  FusedTable copy = table;
  void* parameters[] = {&copy};
  return cudaLaunchKernel(reinterpret_cast<const void*>(fused_kernel), dim3(workers + 1), dim3(block_threads),
                          parameters, 0, stream);
}

cudaError_t load_fused_kernel() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(fused_kernel));
}

cudaError_t fused_blocks_at_once(int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, fused_kernel, static_cast<int>(block_threads), 0);
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
// NVSHMEM, one PE a rank: packed messages that a kernel puts with signals; a pack kernel that stores into the neighbour's
// receive buffer through nvshmem_ptr; and a kernel that stores into the neighbour's halo itself.
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <array>
#include <exception>

#include "baselines/packed.hpp"
#include "baselines/tiles.cuh"

namespace halocline::bench {
namespace {

constexpr unsigned copy_threads = items_a_tile;
constexpr unsigned put_threads = 512;
constexpr int most_peers = 26;

void start(comm::RankGroup& world) {
  if (world.backend() != comm::CommBackend::mpi) {
    throw CapabilityError(
        "there is no MPI in this process; start it with mpirun, with HALOCLINE_COMM=mpi for one rank");
  }
  MPI_Comm all = MPI_COMM_WORLD;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &all;
  if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes) != 0) {
    throw DeviceError("nvshmemx_init_attr: NVSHMEM could not be started");
  }
}

/// Symmetric memory, zero-filled on all PEs at return. Allocated and freed by all PEs together; so it is not freed while an
/// error unwinds one of them alone.
DeviceMemory symmetric(std::size_t bytes) {
  void* memory = nvshmem_align(256, bytes);
  if (memory == nullptr) {
    throw ResourceError("nvshmem_align of " + std::to_string(bytes) +
                        " bytes: the symmetric heap is full; NVSHMEM_SYMMETRIC_SIZE is its size");
  }
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  nvshmem_barrier_all();
  return {memory, [](void* freed) {
            if (std::uncaught_exceptions() == 0) nvshmem_free(freed);
          }};
}

/// A peer's copy of symmetric memory, mapped here.
template <typename T>
T* at_peer(T* memory, std::int64_t peer) {
  auto* mapped = static_cast<T*>(nvshmem_ptr(memory, static_cast<int>(peer)));
  if (mapped == nullptr)
    throw CapabilityError("the memory of PE " + std::to_string(peer) + " is not mapped (nvshmem_ptr)");
  return mapped;
}

/// A counter that neighbours add to, and what it must reach. Both stay in device memory, so that graphs advance them.
struct Counter {
  std::uint64_t* arrived;   ///< symmetric
  std::uint64_t* expected;  ///< after the exchanges until now
};

__device__ std::uint64_t wait_for(const Counter& counter, std::uint64_t more) {
  const std::uint64_t target = *static_cast<volatile std::uint64_t*>(counter.expected) + more;
  nvshmem_signal_wait_until(counter.arrived, NVSHMEM_CMP_GE, target);
  return target;
}

/// Whether this thread block is the last of the grid to arrive here. To be called by thread 0, after a __syncthreads.
__device__ bool is_last(unsigned* done) {
  __threadfence_system();
  if (atomicAdd(done, 1U) != gridDim.x - 1) return false;
  *done = 0;
  __threadfence_system();
  return true;
}

struct Peers {
  int count;
  int pe[most_peers];
};

__device__ void signal(std::uint64_t* counter, const Peers& peers) {
  for (int i = 0; i < peers.count; ++i) nvshmemx_signal_op(counter, 1, NVSHMEM_SIGNAL_ADD, peers.pe[i]);
}

/// Copies the first `local` tiles, waits for `signals` more, and copies the others.
__global__ void __launch_bounds__(copy_threads) unpack_kernel(const __grid_constant__ Job job, std::uint32_t local,
                                                              Counter counter, std::uint64_t signals, unsigned* done) {
  copy_tiles(job, 0, local);
  std::uint64_t target = 0;
  if (threadIdx.x == 0) target = wait_for(counter, signals);
  __syncthreads();
  copy_tiles(job, local, job.tiles);
  __syncthreads();
  if (threadIdx.x == 0 && is_last(done)) *counter.expected = target;
}

/// Stores all tiles but the last `local` into the peers' memory, signals, and copies the local ones. With `ready`, nothing
/// is stored before all peers have come to this exchange: their halos may be overwritten.
template <bool ready>
__global__ void __launch_bounds__(copy_threads)
    store_kernel(const __grid_constant__ Job job, std::uint32_t local, std::uint64_t* arrived, Counter peers_ready,
                 const __grid_constant__ Peers peers, unsigned* done) {
  std::uint64_t target = 0;
  if constexpr (ready) {
    if (threadIdx.x == 0) {
      if (blockIdx.x == 0) signal(peers_ready.arrived, peers);
      target = wait_for(peers_ready, static_cast<std::uint64_t>(peers.count));
    }
    __syncthreads();
  }
  copy_tiles(job, 0, job.tiles - local);
  __syncthreads();
  if (threadIdx.x == 0 && is_last(done)) {
    if constexpr (ready) *peers_ready.expected = target;
    signal(arrived, peers);
  }
  copy_tiles(job, job.tiles - local, job.tiles);
}

struct Put {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  int pe;
  unsigned first_block;
};
struct Puts {
  int count = 0;
  std::size_t chunk = 0;
  unsigned blocks = 0;
  Put put[most_peers];
};

/// Every thread block puts a chunk, and then adds one to the signal.
__global__ void put_kernel(const __grid_constant__ Puts puts, std::uint64_t* arrived) {
  int which = 0;
  while (which + 1 < puts.count && blockIdx.x >= puts.put[which + 1].first_block) ++which;
  const Put& put = puts.put[which];
  const std::size_t at = (blockIdx.x - put.first_block) * puts.chunk;
  const std::size_t left = put.bytes - at;
  nvshmemx_putmem_signal_nbi_block(put.to + at, put.from + at, left < puts.chunk ? left : puts.chunk, arrived, 1,
                                   NVSHMEM_SIGNAL_ADD, put.pe);
}

/// What the ways share: two sides of receive buffers and counters, and the plain put.
class Symmetric : public Transport {
 public:
  explicit Symmetric(const Block& block)
      : block_(&block),
        elements_(block.plan().buffer_elements),
        send_(symmetric(side_bytes() * 2)),
        receive_(symmetric(side_bytes() * 2)),
        signals_(symmetric(counters * counter_stride)),
        local_(cuda_memory((counters + 2) * counter_stride)) {
    for (const Message& m : block.plan().messages) {
      peers_.pe[peers_.count++] = static_cast<int>(m.peer);
      there_.push_back(message_with(plan_of(block.workload(), m.peer), block.rank()).offset);
    }
  }
  ~Symmetric() override {
    if (std::uncaught_exceptions() == 0) nvshmem_barrier_all();
  }
  Symmetric(const Symmetric&) = delete;
  Symmetric& operator=(const Symmetric&) = delete;

  [[nodiscard]] float* unpack_from(int message, int side) override {
    return receive(side) + message_at(message).offset;
  }
  void unpack(const Job& job, std::uint32_t local, unsigned blocks, cudaStream_t stream, int side) override {
    const unsigned grid = std::max(1U, std::min(blocks, job.tiles));
    unpack_kernel<<<grid, copy_threads, 0, stream>>>(job, local, counter(side), signals_an_exchange(), done(0));
    check_launch("unpack_kernel");
  }
  void plain(int times) override {
    cudaStream_t stream = block_->stream();
    for (; times > 0; --times) {
      for (std::size_t i = 0; i < there_.size(); ++i) {
        const Message& m = message_at(static_cast<int>(i));
        nvshmemx_putmem_on_stream(receive(0) + there_[i], send(0) + m.offset,
                                  sizeof(float) * static_cast<std::size_t>(m.elements), static_cast<int>(m.peer),
                                  stream);
      }
    }
    nvshmemx_quiet_on_stream(stream);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  [[nodiscard]] bool capturable() const override { return true; }

 protected:
  /// Signals that all peers together add in an exchange.
  [[nodiscard]] virtual std::uint64_t signals_an_exchange() const { return there_.size(); }

  [[nodiscard]] const Block& block() const { return *block_; }
  [[nodiscard]] const Message& message_at(int message) const {
    return block_->plan().messages[static_cast<std::size_t>(message)];
  }
  /// Of the message in the peer's receive buffer.
  [[nodiscard]] std::int64_t offset_there(int message) const { return there_[static_cast<std::size_t>(message)]; }
  [[nodiscard]] float* send(int side) const { return static_cast<float*>(send_.get()) + side * elements_; }
  [[nodiscard]] float* receive(int side) const { return static_cast<float*>(receive_.get()) + side * elements_; }
  [[nodiscard]] const Peers& peers() const { return peers_; }
  /// 0 and 1: of the sides; 2: of peers that are ready.
  [[nodiscard]] Counter counter(int which) const { return {of_counter(signals_, which), of_counter(local_, which)}; }
  [[nodiscard]] unsigned* done(int which) const {
    return reinterpret_cast<unsigned*>(of_counter(local_, counters + which));
  }
  /// The unpack kernel without copies: waits alone.
  void wait(cudaStream_t stream, int side) { unpack(Job{}, 0, 1, stream, side); }

 private:
  static constexpr int counters = 3;
  static constexpr std::size_t counter_stride = 128;
  [[nodiscard]] static std::uint64_t* of_counter(const DeviceMemory& memory, int which) {
    return reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(memory.get()) +
                                            static_cast<std::size_t>(which) * counter_stride);
  }
  [[nodiscard]] std::size_t side_bytes() const { return sizeof(float) * static_cast<std::size_t>(elements_); }

  const Block* block_;
  std::int64_t elements_;
  DeviceMemory send_;
  DeviceMemory receive_;
  DeviceMemory signals_;
  DeviceMemory local_;
  Peers peers_{};
  std::vector<std::int64_t> there_;
};

/// Two sides are enough, without acknowledgements: a PE comes to exchange n + 2 when it has received all messages of n + 1,
/// each from a neighbour that had unpacked its messages of n before.
class PutKernel final : public Symmetric {
 public:
  explicit PutKernel(const Block& block) : Symmetric(block) {
    for (int side = 0; side < 2; ++side) puts_[static_cast<std::size_t>(side)] = puts_of(side);
  }
  [[nodiscard]] float* pack_to(int message, int side) override { return send(side) + message_at(message).offset; }
  void transfer(cudaStream_t stream, int side) override {
    const Puts& puts = puts_[static_cast<std::size_t>(side)];
    put_kernel<<<puts.blocks, put_threads, 0, stream>>>(puts, counter(side).arrived);
    check_launch("put_kernel");
  }
  void transfer_alone(const Job&, unsigned, cudaStream_t stream, int side) override {
    transfer(stream, side);
    wait(stream, side);
  }

 protected:
  [[nodiscard]] std::uint64_t signals_an_exchange() const override { return puts_[0].blocks; }

 private:
  /// Four thread blocks a multiprocessor in all, but no less than is worth one.
  [[nodiscard]] std::size_t chunk() const {
    constexpr std::size_t least = 16 << 10;
    constexpr std::size_t blocks = 4 * 132;
    const auto bytes = sizeof(float) * static_cast<std::size_t>(block().plan().buffer_elements);
    return std::max(least, (bytes / blocks + 255) / 256 * 256);
  }
  [[nodiscard]] Puts puts_of(int side) const {
    Puts puts;
    puts.chunk = chunk();
    for (std::size_t i = 0; i < block().plan().messages.size(); ++i) {
      const Message& m = block().plan().messages[i];
      const auto bytes = sizeof(float) * static_cast<std::size_t>(m.elements);
      puts.put[puts.count++] = {reinterpret_cast<std::byte*>(receive(side) + offset_there(static_cast<int>(i))),
                                reinterpret_cast<const std::byte*>(send(side) + m.offset), bytes,
                                static_cast<int>(m.peer), puts.blocks};
      puts.blocks += static_cast<unsigned>((bytes + puts.chunk - 1) / puts.chunk);
    }
    return puts;
  }
  std::array<Puts, 2> puts_;
};

/// The pack kernel stores into the peers' receive buffers.
class StoreIntoBuffer final : public Symmetric {
 public:
  using Symmetric::Symmetric;
  [[nodiscard]] float* pack_to(int message, int side) override {
    return at_peer(receive(side), message_at(message).peer) + offset_there(message);
  }
  void pack(const Job& job, std::uint32_t local, unsigned blocks, cudaStream_t stream, int side) override {
    store_kernel<false><<<std::min(blocks, job.tiles), copy_threads, 0, stream>>>(job, local, counter(side).arrived,
                                                                                  counter(2), peers(), done(1));
    check_launch("store_kernel");
  }
  void transfer(cudaStream_t, int) override {}
  void transfer_alone(const Job& job, unsigned blocks, cudaStream_t stream, int side) override {
    pack(job, 0, blocks, stream, side);
    wait(stream, side);
  }
};

/// A kernel stores owned cells into the peers' halos; nothing is unpacked.
class StoreIntoHalo final : public Symmetric {
 public:
  using Symmetric::Symmetric;
  [[nodiscard]] bool moves_messages() const override { return false; }
  [[nodiscard]] float* pack_to(int, int) override { return nullptr; }
  [[nodiscard]] std::vector<Copy> pack_copies(const Block& block, int) override {
    return bound(
        block.plan().direct, [&](int) { return block.arrays(); },
        [&](int m) { return at_peer(block.arrays(), message_at(m).peer); });
  }
  [[nodiscard]] std::vector<Copy> unpack_copies(const Block&, int) override { return {}; }
  void pack(const Job& job, std::uint32_t local, unsigned blocks, cudaStream_t stream, int side) override {
    store_kernel<true><<<std::min(blocks, job.tiles), copy_threads, 0, stream>>>(job, local, counter(side).arrived,
                                                                                 counter(2), peers(), done(1));
    check_launch("store_kernel");
  }
  void transfer(cudaStream_t, int) override {}
  void transfer_alone(const Job& job, unsigned blocks, cudaStream_t stream, int side) override {
    pack(job, 0, blocks, stream, side);
    wait(stream, side);
  }
  /// The job has local tiles only.
  void unpack(const Job& job, std::uint32_t, unsigned blocks, cudaStream_t stream, int side) override {
    Symmetric::unpack(job, job.tiles, blocks, stream, side);
  }
};

template <typename Kind>
std::unique_ptr<Way> make(comm::RankGroup& world, const Block& block) {
  return std::make_unique<PackedWay>(world, block, std::make_unique<Kind>(block));
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  bench::Library library;
  library.program = "bench_baseline_nvshmem";
  library.allocate = bench::symmetric;
  library.start = bench::start;
  library.stop = [] { nvshmem_finalize(); };
  library.methods = {{"NVSHMEM puts", false, bench::make<bench::PutKernel>},
                     {"NVSHMEM stores into buffer", false, bench::make<bench::StoreIntoBuffer>},
                     {"NVSHMEM stores into halo", false, bench::make<bench::StoreIntoHalo>}};
  return bench::run_baselines(argc, argv, library);
}

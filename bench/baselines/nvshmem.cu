// NVSHMEM, one PE a GPU and a rank: a message a direction is put into the neighbour's symmetric memory, with a signal
// behind it. Enqueued by the host, between a pack and an unpack kernel a direction; and put by a kernel, between one
// kernel that packs all directions and one that awaits and unpacks them.
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <exception>

#include "baselines/baseline.cuh"
#include "baselines/region.cuh"

namespace halocline::bench {
namespace {

constexpr std::size_t directions = 26;
constexpr unsigned copy_threads = 256;
constexpr unsigned put_threads = 512;
constexpr std::size_t alignment = 256;

std::size_t index_of(Direction d) { return static_cast<std::size_t>(d.index()); }

bool started() { return nvshmemx_init_status() != NVSHMEM_STATUS_NOT_INITIALIZED; }

/// Once a process; PEs have the numbers of ranks, and so of blocks.
void start(const Making& making) {
  if (making.blocks->size() != 1) {
    throw InvalidArgument("--devices-per-rank is " + std::to_string(making.blocks->size()) + "; allowed here is 1");
  }
  if (making.world->twin() != comm::Twin::mpi) {
    throw CapabilityError(
        "there is no MPI in this process; start it with mpirun, with HALOCLINE_COMM=mpi for one rank");
  }
  use_device(making.blocks->front().device());
  if (started()) return;
  MPI_Comm world = MPI_COMM_WORLD;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &world;
  if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes) != 0) {
    throw DeviceError("nvshmemx_init_attr: NVSHMEM could not be started");
  }
}

void stop() {
  if (started()) nvshmem_finalize();
}

/// Symmetric memory, zero-filled on all PEs at return. Made and freed by all PEs together; so it is not freed where an
/// error may unwind one of them alone.
class Symmetric {
 public:
  explicit Symmetric(std::size_t bytes) : memory_(static_cast<std::byte*>(nvshmem_align(alignment, bytes))) {
    if (memory_ == nullptr) {
      throw ResourceError("nvshmem_align of " + std::to_string(bytes) +
                          " bytes: the symmetric heap is full; NVSHMEM_SYMMETRIC_SIZE is its size");
    }
    check(cudaMemset(memory_, 0, bytes), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    nvshmem_barrier_all();
  }
  Symmetric(const Symmetric&) = delete;
  Symmetric& operator=(const Symmetric&) = delete;
  ~Symmetric() {
    if (std::uncaught_exceptions() == 0) nvshmem_free(memory_);
  }
  [[nodiscard]] std::byte* get() const { return memory_; }

 private:
  std::byte* memory_;
};

/// All that messages need of one of two sides, which exchanges take in turns.
///
/// Two are enough, without acknowledgements: a PE comes to exchange n + 2 when it has got all messages of n + 1, each
/// from a neighbour that had read its messages of n before. So nobody reads any more what n + 2 overwrites: landing
/// memory, send memory or signals.
struct Side {
  Buffers send;
  Buffers landing;
  std::uint64_t* signals;  ///< one a direction
};

class Sides {
 public:
  explicit Sides(const Workload& workload) : memory_(2 * side_bytes(workload)) {
    std::byte* next = memory_.get();
    for (Side& side : sides_) {
      for (Buffers* buffers : {&side.send, &side.landing}) {
        for (const Direction d : all_directions) {
          (*buffers)[index_of(d)] = reinterpret_cast<float*>(next);
          next += padded(bytes_towards(workload, d));
        }
      }
      side.signals = reinterpret_cast<std::uint64_t*>(next);
      next += padded(directions * sizeof(std::uint64_t));
    }
  }
  [[nodiscard]] static std::size_t bytes_towards(const Workload& workload, Direction d) {
    return sizeof(float) * static_cast<std::size_t>(elements_towards(workload, d));
  }
  [[nodiscard]] const Side& operator[](std::uint64_t exchange) const { return sides_[exchange % 2]; }

 private:
  [[nodiscard]] static std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  [[nodiscard]] static std::size_t side_bytes(const Workload& workload) {
    std::size_t bytes = padded(directions * sizeof(std::uint64_t));
    for (const Direction d : all_directions) bytes += 2 * padded(bytes_towards(workload, d));
    return bytes;
  }
  Symmetric memory_;
  std::array<Side, 2> sides_{};
};

int pe_towards(const Workload& workload, const Block& own, Direction d) {
  return static_cast<int>(neighbour_of(workload, own.position(), d));
}

/// The host enqueues a put with its signal, and a wait, a direction.
class OnStream final : public Baseline {
 public:
  explicit OnStream(const Making& making)
      : workload_(making.workload), own_(&making.blocks->front()), sides_(making.workload) {}

  void exchange() override {
    const Side& side = sides_[++exchanges_];
    own_->pack(side.send);
    for (const Direction d : all_directions) {
      const std::size_t i = index_of(d);
      nvshmemx_putmem_signal_on_stream(side.landing[i], side.send[i], Sides::bytes_towards(workload_, d),
                                       side.signals + i, exchanges_, NVSHMEM_SIGNAL_SET,
                                       pe_towards(workload_, *own_, d), own_->stream());
    }
    for (std::size_t i = 0; i < directions; ++i) {
      nvshmemx_signal_wait_until_on_stream(side.signals + i, NVSHMEM_CMP_GE, exchanges_, own_->stream());
    }
    own_->unpack(side.landing);
  }

 private:
  Workload workload_;
  Block* own_;
  Sides sides_;
  std::uint64_t exchanges_ = 0;
};

/// Parts of one launch, a direction each, and the first thread block of each.
template <typename Part>
struct Parts {
  Part part[directions];
  unsigned first_block[directions + 1];

  [[nodiscard]] unsigned blocks() const { return first_block[directions]; }
  [[nodiscard]] __device__ unsigned part_of(unsigned block) const {
    unsigned i = 0;
    while (block >= first_block[i + 1]) ++i;
    return i;
  }
};

struct Copy {
  Region region;
  float* buffer;
  std::uint64_t* signal;  ///< that is awaited before the buffer is read
  std::uint64_t puts;     ///< signals that an exchange adds
};

struct Put {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  std::uint64_t* signal;
  int pe;
};

__global__ void pack_all_kernel(FieldPointers p, const __grid_constant__ Parts<Copy> parts) {
  const unsigned which = parts.part_of(blockIdx.x);
  const Region& region = parts.part[which].region;
  const std::int64_t cells = region.nx * region.ny * region.nz;
  const std::int64_t i = std::int64_t{blockIdx.x - parts.first_block[which]} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const std::int64_t cell = cell_of(region, i, p);
  for (int f = 0; f < p.fields; ++f) parts.part[which].buffer[f * cells + i] = p.field[f][cell];
}

/// Every thread block puts a chunk, and adds one to the signal behind it.
__global__ void put_kernel(const __grid_constant__ Parts<Put> parts, std::size_t chunk) {
  const unsigned which = parts.part_of(blockIdx.x);
  const Put& put = parts.part[which];
  const std::size_t at = (blockIdx.x - parts.first_block[which]) * chunk;
  const std::size_t left = put.bytes - at;
  nvshmemx_putmem_signal_nbi_block(put.to + at, put.from + at, left < chunk ? left : chunk, put.signal, 1,
                                   NVSHMEM_SIGNAL_ADD, put.pe);
}

/// Waits for nothing of its own GPU but the kernels before it, so that all of its blocks need not be resident at once.
__global__ void unpack_all_kernel(FieldPointers p, const __grid_constant__ Parts<Copy> parts, std::uint64_t times) {
  const unsigned which = parts.part_of(blockIdx.x);
  const Copy& copy = parts.part[which];
  if (threadIdx.x == 0) nvshmem_signal_wait_until(copy.signal, NVSHMEM_CMP_GE, times * copy.puts);
  __syncthreads();
  const std::int64_t cells = copy.region.nx * copy.region.ny * copy.region.nz;
  const std::int64_t i = std::int64_t{blockIdx.x - parts.first_block[which]} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const std::int64_t cell = cell_of(copy.region, i, p);
  for (int f = 0; f < p.fields; ++f) p.field[f][cell] = copy.buffer[f * cells + i];
}

/// Bytes that a thread block puts: four blocks a multiprocessor in all, but no less than is worth one.
std::size_t chunk_of(const Workload& workload) {
  constexpr std::size_t least = 16 << 10;
  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  std::size_t bytes = 0;
  for (const Direction d : all_directions) bytes += Sides::bytes_towards(workload, d);
  const std::size_t chunk = bytes / (4 * static_cast<std::size_t>(multiprocessors));
  return std::max(least, (chunk + alignment - 1) / alignment * alignment);
}

unsigned blocks_for(std::size_t things, std::size_t of_a_block) {
  return static_cast<unsigned>((things + of_a_block - 1) / of_a_block);
}

/// Kernels put and await; three launches an exchange.
class InKernels final : public Baseline {
 public:
  explicit InKernels(const Making& making)
      : own_(&making.blocks->front()), sides_(making.workload), chunk_(chunk_of(making.workload)) {
    for (std::uint64_t side = 0; side < 2; ++side) prepare(making.workload, sides_[side], launches_[side]);
  }

  void exchange() override {
    const Launches& launches = launches_[exchanges_ % 2];
    const std::uint64_t times = exchanges_ / 2 + 1;  // of this side
    ++exchanges_;
    use_device(own_->device());
    pack_all_kernel<<<launches.pack.blocks(), copy_threads, 0, own_->stream()>>>(own_->pointers(), launches.pack);
    check_launch("pack_all_kernel");
    put_kernel<<<launches.put.blocks(), put_threads, 0, own_->stream()>>>(launches.put, chunk_);
    check_launch("put_kernel");
    unpack_all_kernel<<<launches.unpack.blocks(), copy_threads, 0, own_->stream()>>>(own_->pointers(), launches.unpack,
                                                                                     times);
    check_launch("unpack_all_kernel");
  }

 private:
  struct Launches {
    Parts<Copy> pack;
    Parts<Put> put;
    Parts<Copy> unpack;
  };

  void prepare(const Workload& workload, const Side& side, Launches& launches) const {
    for (const Direction d : all_directions) {
      const std::size_t i = index_of(d);
      const std::size_t bytes = Sides::bytes_towards(workload, d);
      const std::size_t cells = bytes / sizeof(float) / static_cast<std::size_t>(workload.fields);
      const unsigned puts = blocks_for(bytes, chunk_);
      launches.pack.part[i] = {sent_towards(workload, d), side.send[i], nullptr, 0};
      launches.put.part[i] = {reinterpret_cast<std::byte*>(side.landing[i]),
                              reinterpret_cast<const std::byte*>(side.send[i]), bytes, side.signals + i,
                              pe_towards(workload, *own_, d)};
      launches.unpack.part[i] = {filled_by(workload, d), side.landing[i], side.signals + i, puts};
      launches.pack.first_block[i + 1] = launches.pack.first_block[i] + blocks_for(cells, copy_threads);
      launches.put.first_block[i + 1] = launches.put.first_block[i] + puts;
      launches.unpack.first_block[i + 1] = launches.pack.first_block[i + 1];
    }
  }

  Block* own_;
  Sides sides_;
  std::size_t chunk_;
  std::array<Launches, 2> launches_{};
  std::uint64_t exchanges_ = 0;
};

template <typename Way>
std::unique_ptr<Baseline> make(const Making& making) {
  start(making);
  return std::make_unique<Way>(making);
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  return bench::run_baseline(
      argc, argv, "bench_baseline_nvshmem",
      {{"NVSHMEM", false, bench::make<bench::OnStream>}, {"NVSHMEM kernel", false, bench::make<bench::InKernels>}},
      bench::stop);
}

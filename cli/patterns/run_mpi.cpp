// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/checked.hpp"
#include "device/backend.hpp"
#include "halocline/error.hpp"
#include "patterns/run.hpp"
#include "planning.hpp"

namespace cli::patterns {
namespace {

using namespace halocline;
using mapping::Pattern;
using mapping::PatternMessage;
using mapping::PatternRequest;

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw CommunicationError(std::string(call) + " failed");
}

/// A rank's part of a pattern's iteration. What start() posts, finish() completes.
class Part {
 public:
  virtual ~Part() = default;
  virtual void start() = 0;
  virtual void finish() = 0;
};

/// Memory for what is sent, or for what comes: where the pattern wants it, and what MPI is given.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes) : host_(std::max<std::size_t>(bytes, 1)) {}
  /// stream: for the way through pinned memory; null where MPI takes the device's.
  Memory(device::Backend& backend, device::Stream* stream, std::size_t bytes)
      : device_(backend.allocate(0, std::max<std::size_t>(bytes, 1))), stream_(stream) {
    if (stream != nullptr) pinned_ = backend.allocate_pinned(device_->bytes());
  }

  [[nodiscard]] std::byte* data() { return pinned_ ? pinned_->data() : device_ ? device_->data() : host_.data(); }
  void fetch() {
    if (!pinned_) return;
    stream_->copy(pinned_->data(), device_->data(), device_->bytes());
    stream_->synchronize();
  }
  void put_back() {
    if (!pinned_) return;
    stream_->copy(device_->data(), pinned_->data(), device_->bytes());
    stream_->synchronize();
  }

 private:
  std::vector<std::byte> host_;
  std::unique_ptr<device::Buffer> device_;
  std::unique_ptr<device::Buffer> pinned_;
  device::Stream* stream_ = nullptr;
};

/// Two messages along each dimension, posted at once.
class Stencil final : public Part {
 public:
  template <typename Make>
  Stencil(const PatternRequest& request, int rank, MPI_Comm comm, Make&& make_memory)
      : comm_(comm), messages_(messages_of(request, rank)) {
    std::size_t bytes = 0;
    for (const PatternMessage& m : messages_) bytes += static_cast<std::size_t>(m.bytes);
    out_ = make_memory(bytes);
    in_ = make_memory(bytes);
    requests_.resize(2 * messages_.size(), MPI_REQUEST_NULL);
  }

  /// A neighbour sends as much as it gets, and its message to the one side comes in here on the other.
  void start() override {
    out_.fetch();
    std::size_t at = 0;
    std::size_t next = 0;
    for (const PatternMessage& m : messages_) {
      const int count = checked_cast<int>(m.bytes, "the number of bytes of a message");
      check(MPI_Irecv(in_.data() + at, count, MPI_BYTE, m.to, tag(m.dimension, -m.side), comm_, &requests_[next++]),
            "MPI_Irecv");
      check(MPI_Isend(out_.data() + at, count, MPI_BYTE, m.to, tag(m.dimension, m.side), comm_, &requests_[next++]),
            "MPI_Isend");
      at += static_cast<std::size_t>(m.bytes);
    }
  }
  void finish() override {
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    in_.put_back();
  }

 private:
  static int tag(int dimension, int side) { return 2 * dimension + (side > 0 ? 1 : 0); }

  MPI_Comm comm_;
  std::vector<PatternMessage> messages_;
  Memory out_;
  Memory in_;
  std::vector<MPI_Request> requests_;
};

/// MPI_Alltoall among the ranks along the grid's first dimension.
class Group final : public Part {
 public:
  template <typename Make>
  Group(const PatternRequest& request, int rank, MPI_Comm comm, Make&& make_memory)
      : count_(checked_cast<int>(request.bytes, "the number of bytes of a message")) {
    const auto grid = mapping::grid_of(request.pattern, request.ranks);
    check(MPI_Comm_split(comm, rank % (grid[1] * grid[2]), rank, &group_), "MPI_Comm_split");
    const auto bytes = static_cast<std::size_t>(request.bytes) * static_cast<std::size_t>(grid[0]);
    out_ = make_memory(bytes);
    in_ = make_memory(bytes);
  }
  ~Group() override { MPI_Comm_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void start() override { out_.fetch(); }
  void finish() override {
    check(MPI_Alltoall(out_.data(), count_, MPI_BYTE, in_.data(), count_, MPI_BYTE, group_), "MPI_Alltoall");
    in_.put_back();
  }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
  int count_;
  Memory out_;
  Memory in_;
};

template <typename Make>
std::unique_ptr<Part> part_of(const std::optional<PatternRequest>& request, int rank, MPI_Comm comm, Make&& make) {
  if (!request) return nullptr;
  if (request->pattern == Pattern::alltoall) return std::make_unique<Group>(*request, rank, comm, make);
  return std::make_unique<Stencil>(*request, rank, comm, make);
}

/// Communicators of their own, so that messages of the two patterns never meet.
class Comm {
 public:
  Comm() { check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup"); }
  ~Comm() { MPI_Comm_free(&comm_); }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

class Runner::Impl {
 public:
  explicit Impl(Context& context) : world_(context.world) {
    const auto node = context.world.split_by_node(context.options.ranks_per_node);
    backend_ = backend_of(context, *node);
    node->close();
    using Verdict = comm::DeviceSupport::Verdict;
    on_gpus_ = backend_->kind() == halocline::DeviceKind::cuda;
    if (on_gpus_ && context.world.device_support().verdict != Verdict::yes) stream_ = backend_->create_stream(0);
  }

  Times run(const Case& wanted, const Repeats& repeats) {
    const int rank = static_cast<int>(world_.rank().value());
    const auto on_host = [](std::size_t bytes) { return Memory(bytes); };
    const auto on_device = [this](std::size_t bytes) { return Memory(*backend_, stream_.get(), bytes); };
    const auto cpu = part_of(wanted.cpu, rank, cpu_.get(), on_host);
    const auto gpu = part_of(wanted.gpu, rank, gpu_.get(), on_device);
    Times times;
    if (cpu) times.cpu = time({cpu.get()}, repeats);
    if (gpu) times.gpu = time({gpu.get()}, repeats);
    if (cpu && gpu) times.together = time({cpu.get(), gpu.get()}, repeats);
    return times;
  }

  [[nodiscard]] std::string devices() const {
    if (!on_gpus_) return "host devices";
    return stream_ == nullptr ? "GPUs, given to MPI" : "GPUs, through pinned memory";
  }

 private:
  static void iterate(const std::vector<Part*>& parts) {
    for (Part* part : parts) part->start();
    for (Part* part : parts) part->finish();
  }

  /// Iterations back to back, as the benchmark's ranks only wait for their neighbours; the slowest rank's mean.
  double time(const std::vector<Part*>& parts, const Repeats& repeats) {
    for (std::int64_t i = 0; i < repeats.warm_up; ++i) iterate(parts);
    check(MPI_Barrier(cpu_.get()), "MPI_Barrier");
    const double begin = MPI_Wtime();
    for (std::int64_t i = 0; i < repeats.repeat; ++i) iterate(parts);
    const double mine = MPI_Wtime() - begin;
    return world_.all_reduce(mine, comm::Reduction::max) / static_cast<double>(repeats.repeat);
  }

  comm::RankGroup& world_;
  std::shared_ptr<device::Backend> backend_;
  std::unique_ptr<device::Stream> stream_;  ///< to and from pinned memory, where MPI does not take the device's
  bool on_gpus_ = false;
  Comm cpu_;
  Comm gpu_;
};

Runner::Runner(Context& context) {
  if (context.world.backend() != comm::CommBackend::mpi) {
    throw CapabilityError(
        "'halocline bench patterns' runs among MPI's ranks, and there are none: start it by mpirun, or set "
        "HALOCLINE_COMM=mpi");
  }
  impl_ = std::make_unique<Impl>(context);
}
Runner::~Runner() = default;
Times Runner::run(const Case& wanted, const Repeats& repeats) { return impl_->run(wanted, repeats); }
std::string Runner::devices() const { return impl_->devices(); }

}  // namespace cli::patterns

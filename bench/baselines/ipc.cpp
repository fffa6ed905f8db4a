// SPDX-License-Identifier: BSD-3-Clause
// Peer memory mapped by CUDA IPC: copies by the copy engines, or a pack kernel that stores into the neighbour's buffer;
// ordered by interprocess events, or by stream memory operations, which graphs may hold.
#include <array>
#include <atomic>
#include <exception>
#include <map>

#include "baselines/packed.hpp"
#include "baselines/stream_memory.hpp"
#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/requests.hpp"

namespace halocline::bench {
namespace {

/// Memory of each rank, mapped by its neighbours. Collective.
class Mapped {
 public:
  Mapped(comm::RankGroup& world, const Plan& plan, std::size_t bytes)
      : world_(&world), own_(cuda_memory((bytes + granularity - 1) / granularity * granularity)) {
    cudaIpcMemHandle_t handle{};
    comm::agree_on(world, [&] { check(cudaIpcGetMemHandle(&handle, own_.get()), "cudaIpcGetMemHandle"); });
    const auto handles = comm::gather_value(world, handle);
    comm::agree_on(world, [&] {
      for (const Message& m : plan.messages) {
        void* memory = nullptr;
        check(cudaIpcOpenMemHandle(&memory, handles[static_cast<std::size_t>(m.peer)], cudaIpcMemLazyEnablePeerAccess),
              "cudaIpcOpenMemHandle");
        peers_[m.peer] = static_cast<std::byte*>(memory);
      }
    });
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    for (const auto& [rank, memory] : peers_) (void)cudaIpcCloseMemHandle(memory);
    // Memory is freed when no rank maps it any more.
    if (std::uncaught_exceptions() == 0) world_->barrier();
  }
  [[nodiscard]] std::byte* own() const { return static_cast<std::byte*>(own_.get()); }
  [[nodiscard]] std::byte* of(std::int64_t rank) const { return peers_.at(rank); }

 private:
  /// Smaller allocations share a page, and with it the mapping.
  static constexpr std::size_t granularity = std::size_t{2} << 20;

  comm::RankGroup* world_;
  DeviceMemory own_;
  std::map<std::int64_t, std::byte*> peers_;
};

constexpr std::size_t flag_stride = 128;

/// In every rank's memory: two receive buffers, followed by a flag for each side and sender.
class ReceiveBuffers {
 public:
  ReceiveBuffers(comm::RankGroup& world, const Block& block)
      : messages_(block.plan().messages),
        side_bytes_(sizeof(float) * static_cast<std::size_t>(block.plan().buffer_elements)),
        memory_(world, block.plan(), 2 * side_bytes_ + 2 * flag_stride * messages_.size()) {
    for (const Message& m : messages_) {
      const Plan theirs = plan_of(block.workload(), m.peer);
      const Message& mine = message_with(theirs, block.rank());
      there_.push_back({mine.offset, static_cast<std::size_t>(&mine - theirs.messages.data())});
    }
  }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] float* own(std::size_t i, int side) const { return buffer(memory_.own(), side) + messages_[i].offset; }
  [[nodiscard]] float* peers(std::size_t i, int side) const {
    return buffer(memory_.of(messages_[i].peer), side) + there_[i].offset;
  }
  [[nodiscard]] std::uint32_t* own_flag(std::size_t i, int side) const { return flag(memory_.own(), i, side); }
  [[nodiscard]] std::uint32_t* peers_flag(std::size_t i, int side) const {
    return flag(memory_.of(messages_[i].peer), there_[i].index, side);
  }

 private:
  struct There {
    std::int64_t offset;
    std::size_t index;  ///< of the message among the peer's
  };
  [[nodiscard]] float* buffer(std::byte* memory, int side) const {
    return reinterpret_cast<float*>(memory + static_cast<std::size_t>(side) * side_bytes_);
  }
  [[nodiscard]] std::uint32_t* flag(std::byte* memory, std::size_t i, int side) const {
    const std::size_t index = 2 * i + static_cast<std::size_t>(side);
    return reinterpret_cast<std::uint32_t*>(memory + 2 * side_bytes_ + index * flag_stride);
  }
  std::vector<Message> messages_;
  std::size_t side_bytes_;
  Mapped memory_;
  std::vector<There> there_;
};

/// Orders a rank's reads after its neighbours' writes.
class Order {
 public:
  virtual ~Order() = default;
  /// After the writes in the stream: signals to the neighbours that these are complete, then waits for the neighbours'
  /// writes.
  virtual void pass(cudaStream_t stream, int side) = 0;
  [[nodiscard]] virtual bool capturable() const = 0;
};

/// The receiver resets each flag after its wait. Two sides are enough: a neighbour writes a side again only after the
/// message of the exchange in between, which was enqueued after the reset and after the reading of the buffer.
class ByStreamMemory final : public Order {
 public:
  explicit ByStreamMemory(const ReceiveBuffers& receive_buffer) : receive_buffer_(&receive_buffer) {}
  void pass(cudaStream_t stream, int side) override {
    const std::size_t messages = receive_buffer_->messages().size();
    for (std::size_t i = 0; i < messages; ++i) memory_.write(stream, receive_buffer_->peers_flag(i, side), 1);
    for (std::size_t i = 0; i < messages; ++i) {
      memory_.wait(stream, receive_buffer_->own_flag(i, side), 1);
      memory_.write(stream, receive_buffer_->own_flag(i, side), 0);
    }
  }
  [[nodiscard]] bool capturable() const override { return true; }

 private:
  const ReceiveBuffers* receive_buffer_;
  StreamMemory memory_;
};

/// Events of the neighbours, of two sides. A host counter in shared memory counts what a rank has recorded: a wait for
/// an event is enqueued when it has been recorded in this exchange, and, as neighbours are at most one exchange apart, before
/// it is recorded again.
class ByEvents final : public Order {
 public:
  ByEvents(comm::RankGroup& world, const Plan& plan)
      : world_(&world), messages_(plan.messages), window_(world.shared_window(sizeof(Counter))) {
    std::array<cudaIpcEventHandle_t, 2> handles{};
    for (std::size_t side = 0; side < 2; ++side) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess),
            "cudaEventCreateWithFlags");
      own_[side] = OwnedEvent(event);
      check(cudaIpcGetEventHandle(&handles[side], event), "cudaIpcGetEventHandle");
    }
    new (counter(world.rank().value())) Counter(0);
    const auto all = comm::gather_value(world, handles);
    for (const Message& m : messages_) {
      std::array<OwnedEvent, 2> events;
      for (std::size_t side = 0; side < 2; ++side) {
        cudaEvent_t event = nullptr;
        check(cudaIpcOpenEventHandle(&event, all[static_cast<std::size_t>(m.peer)][side]), "cudaIpcOpenEventHandle");
        events[side] = OwnedEvent(event);
      }
      theirs_.push_back(std::move(events));
    }
    world.barrier();
  }
  ~ByEvents() override {
    if (std::uncaught_exceptions() > 0) return;
    world_->barrier();
  }
  ByEvents(const ByEvents&) = delete;
  ByEvents& operator=(const ByEvents&) = delete;

  void pass(cudaStream_t stream, int side) override {
    const auto s = static_cast<std::size_t>(side);
    check(cudaEventRecord(own_[s].get(), stream), "cudaEventRecord");
    counter(world_->rank().value())->store(++exchanges_, std::memory_order_release);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      while (counter(messages_[i].peer)->load(std::memory_order_acquire) < exchanges_) {
      }
      check(cudaStreamWaitEvent(stream, theirs_[i][s].get()), "cudaStreamWaitEvent");
    }
  }
  [[nodiscard]] bool capturable() const override { return false; }

 private:
  using Counter = std::atomic<std::uint64_t>;
  [[nodiscard]] Counter* counter(std::int64_t rank) const {
    return reinterpret_cast<Counter*>(window_->segment(rank_id(static_cast<int>(rank))).data());
  }

  comm::RankGroup* world_;
  std::vector<Message> messages_;
  std::unique_ptr<comm::SharedWindow> window_;
  std::array<OwnedEvent, 2> own_;
  std::vector<std::array<OwnedEvent, 2>> theirs_;
  std::uint64_t exchanges_ = 0;
};

/// Copies from a send buffer, or the pack kernel's stores: the stream then only orders them.
template <bool stores>
class Ipc final : public Transport {
 public:
  Ipc(comm::RankGroup& world, const Block& block, bool by_events)
      : block_(&block),
        receive_buffer_(world, block),
        send_(cuda_memory(sizeof(float) * static_cast<std::size_t>(block.plan().buffer_elements))) {
    if (by_events) order_ = std::make_unique<ByEvents>(world, block.plan());
    else order_ = std::make_unique<ByStreamMemory>(receive_buffer_);
  }
  [[nodiscard]] float* pack_to(int message, int side) override {
    const auto i = static_cast<std::size_t>(message);
    return stores ? receive_buffer_.peers(i, side)
                  : static_cast<float*>(send_.get()) + receive_buffer_.messages()[i].offset;
  }
  [[nodiscard]] float* unpack_from(int message, int side) override {
    return receive_buffer_.own(static_cast<std::size_t>(message), side);
  }
  void transfer(cudaStream_t stream, int side) override {
    if constexpr (!stores) copy(stream, side);
    order_->pass(stream, side);
  }
  void transfer_alone(const Job& pack, unsigned blocks, cudaStream_t stream, int side) override {
    if constexpr (stores) launch_copies(pack, blocks, stream);
    transfer(stream, side);
  }
  /// Copies that no other work waits for.
  void plain(int times) override {
    for (; times > 0; --times) copy(block_->stream(), 0);
    check(cudaStreamSynchronize(block_->stream()), "cudaStreamSynchronize");
  }
  [[nodiscard]] bool capturable() const override { return order_->capturable(); }

 private:
  void copy(cudaStream_t stream, int side) const {
    for (std::size_t i = 0; i < receive_buffer_.messages().size(); ++i) {
      const Message& m = receive_buffer_.messages()[i];
      check(cudaMemcpyAsync(receive_buffer_.peers(i, side), static_cast<const float*>(send_.get()) + m.offset,
                            sizeof(float) * static_cast<std::size_t>(m.elements), cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
    }
  }
  const Block* block_;
  ReceiveBuffers receive_buffer_;
  DeviceMemory send_;
  std::unique_ptr<Order> order_;
};

template <bool stores, bool by_events>
std::unique_ptr<Way> make(comm::RankGroup& world, const Block& block) {
  return std::make_unique<PackedWay>(world, block, std::make_unique<Ipc<stores>>(world, block, by_events));
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  bench::Library library;
  library.program = "bench_baseline_ipc";
  library.methods = {{"IPC copies, events", false, bench::make<false, true>},
                     {"IPC copies, stream memory", false, bench::make<false, false>},
                     {"IPC stores, events", false, bench::make<true, true>},
                     {"IPC stores, stream memory", false, bench::make<true, false>}};
  return bench::run_baselines(argc, argv, library);
}

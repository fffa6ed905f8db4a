// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "device/launch_threads.hpp"
#include "device/threaded/exchange.hpp"
#include "device/threaded/stream.hpp"

namespace halocline::device {
namespace threaded {
namespace {

class ThreadedBackend final : public Backend {
 public:
  explicit ThreadedBackend(std::shared_ptr<Backend> inner)
      : inner_(std::move(inner)), team_(std::make_shared<ThreadTeam>(inner_->device_count())) {}
  ~ThreadedBackend() override { team_->settle(); }

  [[nodiscard]] DeviceKind kind() const override { return inner_->kind(); }
  [[nodiscard]] int device_count() const override { return inner_->device_count(); }
  [[nodiscard]] DeviceInfo info(int device) const override { return inner_->info(device); }
  [[nodiscard]] std::int64_t row_alignment_bytes() const override { return inner_->row_alignment_bytes(); }
  [[nodiscard]] std::int64_t sector_bytes() const override { return inner_->sector_bytes(); }
  [[nodiscard]] MemoryInfo memory_at(const void* address) const override { return inner_->memory_at(address); }
  [[nodiscard]] Verdict peer_access(int from, int to) const override { return inner_->peer_access(from, to); }
  [[nodiscard]] Verdict overlapping_launches() const override { return inner_->overlapping_launches(); }
  [[nodiscard]] bool prefers_graphs() const override { return inner_->prefers_graphs(); }
  void signal_from_host(std::span<const FlagSignal> signals, std::uint64_t epoch) override {
    inner_->signal_from_host(signals, epoch);
  }

  std::unique_ptr<WordReader> make_word_reader(int device, std::vector<const std::uint64_t*> words) override {
    return inner_->make_word_reader(device, std::move(words));
  }

  // These may wait for devices, and so for what others have not enqueued yet.

  std::unique_ptr<Buffer> allocate(int device, std::size_t bytes) override { return settled().allocate(device, bytes); }
  std::unique_ptr<ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override {
    return settled().allocate_shareable(device, bytes);
  }
  std::unique_ptr<Buffer> allocate_for_messages(int device, std::size_t bytes) override {
    return settled().allocate_for_messages(device, bytes);
  }
  std::string memory_export(int device) override { return settled().memory_export(device); }
  std::unique_ptr<Buffer> allocate_pinned(std::size_t bytes) override { return settled().allocate_pinned(bytes); }
  std::unique_ptr<Registration> register_host(const std::byte* memory, std::size_t bytes) override {
    return settled().register_host(memory, bytes);
  }
  std::unique_ptr<Mapping> map(int device, const MemoryHandle& handle) override {
    return settled().map(device, handle);
  }
  ExportedRange export_range(int device, const std::byte* first, std::size_t bytes) override {
    return settled().export_range(device, first, bytes);
  }
  std::unique_ptr<Mapping> map_range(int device, std::span<const MemoryHandle> pieces) override {
    return settled().map_range(device, pieces);
  }
  std::unique_ptr<CopyList> prepare(int device, std::span<const StridedCopy> copies) override {
    return settled().prepare(device, copies);
  }
  std::unique_ptr<CopyList> prepare_packing(int device, std::span<const StridedCopy> copies,
                                            const HeaderWrite& write) override {
    return settled().prepare_packing(device, copies, write);
  }
  std::unique_ptr<CopyList> prepare_unpacking(int device, std::span<const StridedCopy> copies,
                                              const HeaderCheck& check) override {
    return settled().prepare_unpacking(device, copies, check);
  }
  std::unique_ptr<SumList> prepare_sums(int device, std::span<const StridedSum> sums) override {
    return settled().prepare_sums(device, sums);
  }
  std::unique_ptr<ReductionList> prepare_reductions(int device, std::span<const StridedReduction> reductions) override {
    return settled().prepare_reductions(device, reductions);
  }
  std::unique_ptr<Room> reserve_room(int device, int parts, int multiprocessors) override {
    return settled().reserve_room(device, parts, multiprocessors);
  }
  std::unique_ptr<FusedExchange> fuse(int device, const FusedPlan& plan) override {
    return std::make_unique<ThreadedExchange>(team_, settled().fuse(device, plan), device);
  }

  [[nodiscard]] Verdict communicators() const override { return inner_->communicators(); }
  CommunicatorId make_communicator_id() override { return inner_->make_communicator_id(); }
  std::vector<std::unique_ptr<Communicator>> join(const CommunicatorSetup& setup) override {
    return settled().join(setup);
  }

  std::unique_ptr<Stream> create_stream(int device, Priority priority, std::string_view name) override {
    return std::make_unique<ThreadedStream>(team_, settled().create_stream(device, priority, name),
                                            kind() == DeviceKind::host);
  }
  std::unique_ptr<Stream> borrow_stream(int /*device*/, void* /*native*/) override {
    throw CapabilityError(
        "a thread launches each device's work, so that a stream of the caller's own cannot be ordered with it; allowed "
        "are "
        "those of create_stream(), or a backend without launch threads");
  }
  std::unique_ptr<Event> create_event(int device, Timing timing) override {
    return std::make_unique<ThreadedEvent>(inner_->create_event(device, timing), device, team_->dedicated_cores);
  }

  bool wait_until(const std::function<bool()>& done, const Deadline& deadline) override {
    return inner_->wait_until(done, deadline);
  }
  std::unique_ptr<Current> make_current(int device) override { return inner_->make_current(device); }
  void push_range(const char* name) override { inner_->push_range(name); }
  void pop_range() override { inner_->pop_range(); }

 private:
  Backend& settled() {
    team_->settle();
    return *inner_;
  }

  std::shared_ptr<Backend> inner_;
  std::shared_ptr<ThreadTeam> team_;
};

}  // namespace
}  // namespace threaded

std::shared_ptr<Backend> with_launch_threads(std::shared_ptr<Backend> inner) {
  return std::make_shared<threaded::ThreadedBackend>(std::move(inner));
}

}  // namespace halocline::device

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "device/host.hpp"
#include "device/host/communicator.hpp"
#include "device/host/memory.hpp"
#include "device/host/scheduler.hpp"

namespace halocline::device::host {

class HostBackend final : public Backend {
 public:
  explicit HostBackend(const HostOptions& options);
  ~HostBackend() override;
  HostBackend(const HostBackend&) = delete;
  HostBackend& operator=(const HostBackend&) = delete;

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::host; }
  [[nodiscard]] int device_count() const override { return options_.devices; }
  [[nodiscard]] DeviceInfo info(int device) const override;
  [[nodiscard]] std::int64_t row_alignment_bytes() const override { return 64; }
  [[nodiscard]] std::int64_t sector_bytes() const override { return options_.sector_bytes; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(int device, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_pinned(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Registration> register_host(const std::byte* memory, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Mapping> map(int device, const MemoryHandle& handle) override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream(int device, Priority priority, std::string_view name) override;
  using Backend::create_stream;
  [[nodiscard]] std::unique_ptr<Event> create_event(int device, Timing timing) override;
  using Backend::create_event;
  [[nodiscard]] std::unique_ptr<CopyList> prepare(int device, std::span<const StridedCopy> copies) override;
  [[nodiscard]] std::unique_ptr<CopyList> prepare_packing(int device, std::span<const StridedCopy> copies,
                                                          const HeaderWrite& write) override;
  [[nodiscard]] std::unique_ptr<CopyList> prepare_unpacking(int device, std::span<const StridedCopy> copies,
                                                            const HeaderCheck& check) override;
  [[nodiscard]] std::unique_ptr<SumList> prepare_sums(int device, std::span<const StridedSum> sums) override;
  [[nodiscard]] std::unique_ptr<ReductionList> prepare_reductions(
      int device, std::span<const StridedReduction> reductions) override;
  [[nodiscard]] std::unique_ptr<FusedExchange> fuse(int device, const FusedPlan& plan) override;
  [[nodiscard]] std::unique_ptr<Room> reserve_room(int device, int parts, int multiprocessors) override;
  [[nodiscard]] MemoryInfo memory_at(const void* address) const override;
  [[nodiscard]] Verdict peer_access(int from, int to) const override;
  /// A wait parks the queue, not a worker.
  [[nodiscard]] Verdict overlapping_launches() const override { return Verdict::of(true); }
  /// Emulated, for members that are threads of one process.
  [[nodiscard]] Verdict communicators() const override { return Verdict::of(true); }
  [[nodiscard]] CommunicatorId make_communicator_id() override { return host::make_communicator_id(); }
  [[nodiscard]] std::vector<std::unique_ptr<Communicator>> join(const CommunicatorSetup& setup) override {
    return join_communicator(setup);
  }
  void signal_from_host(std::span<const FlagSignal> signals, std::uint64_t epoch) override;
  [[nodiscard]] bool prefers_graphs() const override { return options_.graphs; }
  bool wait_until(const std::function<bool()>& done, const Deadline& deadline) override;

 private:
  void check(int device) const;
  void check_size(std::size_t bytes) const;

  const HostOptions options_;
  const std::string uuid_stem_;
  const std::size_t machine_bytes_;
  const std::shared_ptr<Scheduler> scheduler_;
  const std::shared_ptr<DoorbellMap> doorbells_;
};

}  // namespace halocline::device::host

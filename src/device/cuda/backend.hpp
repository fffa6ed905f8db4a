// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "device/cuda/devices.hpp"
#include "device/cuda/nccl/nccl.hpp"
#include "device/cuda_backend.hpp"

namespace halocline::device::cuda {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const CudaOptions& options) : devices_(std::make_shared<Devices>(options)) {}

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int device_count() const override { return devices_->count(); }
  [[nodiscard]] DeviceInfo info(int device) const override { return devices_->at(device).info(); }
  [[nodiscard]] std::int64_t row_alignment_bytes() const override { return 128; }
  [[nodiscard]] std::int64_t sector_bytes() const override { return 32; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(int device, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_for_messages(int device, std::size_t bytes) override;
  [[nodiscard]] std::string memory_export(int device) override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate_pinned(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Registration> register_host(const std::byte* memory, std::size_t bytes) override;
  [[nodiscard]] ExportedRange export_range(int device, const std::byte* first, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Mapping> map(int device, const MemoryHandle& handle) override;
  [[nodiscard]] std::unique_ptr<Mapping> map_range(int device, std::span<const MemoryHandle> pieces) override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream(int device, Priority priority, std::string_view name) override;
  using Backend::create_stream;
  [[nodiscard]] std::unique_ptr<Stream> borrow_stream(int device, void* native) override;
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
  [[nodiscard]] std::unique_ptr<WordReader> make_word_reader(int device,
                                                             std::vector<const std::uint64_t*> words) override;
  [[nodiscard]] MemoryInfo memory_at(const void* address) const override;
  [[nodiscard]] Verdict peer_access(int from, int to) const override;
  [[nodiscard]] Verdict overlapping_launches() const override;
  [[nodiscard]] Verdict communicators() const override { return nccl_usable(); }
  [[nodiscard]] CommunicatorId make_communicator_id() override { return make_nccl_id(); }
  [[nodiscard]] std::vector<std::unique_ptr<Communicator>> join(const CommunicatorSetup& setup) override {
    return join_nccl(devices_, setup);
  }
  [[nodiscard]] bool prefers_graphs() const override { return true; }
  bool wait_until(const std::function<bool()>& done, const Deadline& deadline) override;
  [[nodiscard]] std::unique_ptr<Current> make_current(int device) override;
  void push_range(const char* name) override;
  void pop_range() override;

 private:
  std::shared_ptr<Devices> devices_;
  mutable std::mutex mutex_;
  mutable std::optional<Verdict> overlapping_;  ///< once asked
};

}  // namespace halocline::device::cuda

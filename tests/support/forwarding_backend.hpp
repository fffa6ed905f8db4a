// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/backend.hpp"

namespace halocline::test {

/// The properties that a ForwardingBackend reports.
struct Said {
  halocline::DeviceKind kind = halocline::DeviceKind::host;
  Verdict overlapping_launches = Verdict::of(true);
  std::string uuid{};                    ///< of the last device; empty: the inner backend's
  std::int64_t row_alignment_bytes = 0;  ///< 0: the inner backend's
  /// The memory kind of an address; empty: the inner backend's answer.
  std::function<device::MemoryInfo(const void*)> memory{};
  /// How memory of the caller's is exported; may throw; empty: as the inner backend does.
  std::function<device::ExportedRange(int device, const std::byte* first, std::size_t bytes)> export_range{};
};

/// Forwards all work to another backend, and reports properties set by a test.
class ForwardingBackend : public device::Backend {
 public:
  ForwardingBackend(std::shared_ptr<device::Backend> inner, Said said)
      : inner_(std::move(inner)), said_(std::move(said)) {}
  /// Called before each event is made; may throw.
  std::function<void()> before_event;
  /// Called before memory is mapped; may throw.
  std::function<void(int device, const device::MemoryHandle&)> before_map;

  /// The number of calls of map().
  [[nodiscard]] int maps() const { return maps_; }
  /// The names and priorities of the streams that were created.
  [[nodiscard]] const std::vector<std::pair<std::string, device::Priority>>& streams() const { return streams_; }
  /// The arguments of make_current().
  [[nodiscard]] const std::vector<int>& current() const { return current_; }
  /// FusedPlan::multiprocessors of the exchanges that were made.
  [[nodiscard]] const std::vector<int>& budgets() const { return budgets_; }
  /// FusedPlan::next_may_start of the same.
  [[nodiscard]] const std::vector<bool>& next_may_start() const { return next_may_start_; }

  /// The devices for which room was reserved, with the number of parts.
  [[nodiscard]] const std::vector<std::pair<int, int>>& rooms() const { return rooms_; }
  /// The number of parts of all fused exchanges that may be sent as packets.
  [[nodiscard]] int packets() const { return packets_; }

  [[nodiscard]] halocline::DeviceKind kind() const override { return said_.kind; }
  [[nodiscard]] Verdict overlapping_launches() const override { return said_.overlapping_launches; }
  void signal_from_host(std::span<const device::FlagSignal> signals, std::uint64_t epoch) override {
    inner_->signal_from_host(signals, epoch);
  }
  [[nodiscard]] device::DeviceInfo info(int device) const override {
    device::DeviceInfo info = inner_->info(device);
    if (!said_.uuid.empty() && device == device_count() - 1) info.uuid = said_.uuid;
    return info;
  }
  std::unique_ptr<device::Mapping> map(int device, const device::MemoryHandle& handle) override {
    ++maps_;
    if (before_map) before_map(device, handle);
    return inner_->map(device, handle);
  }
  device::ExportedRange export_range(int device, const std::byte* first, std::size_t bytes) override {
    return said_.export_range ? said_.export_range(device, first, bytes) : inner_->export_range(device, first, bytes);
  }

  [[nodiscard]] int device_count() const override { return inner_->device_count(); }
  [[nodiscard]] std::int64_t row_alignment_bytes() const override {
    return said_.row_alignment_bytes > 0 ? said_.row_alignment_bytes : inner_->row_alignment_bytes();
  }
  [[nodiscard]] std::int64_t sector_bytes() const override { return inner_->sector_bytes(); }
  std::unique_ptr<device::Buffer> allocate(int device, std::size_t bytes) override {
    return inner_->allocate(device, bytes);
  }
  std::unique_ptr<device::ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override {
    return inner_->allocate_shareable(device, bytes);
  }
  std::unique_ptr<device::Buffer> allocate_for_messages(int device, std::size_t bytes) override {
    return inner_->allocate_for_messages(device, bytes);
  }
  std::string memory_export(int device) override { return inner_->memory_export(device); }
  std::unique_ptr<device::WordReader> make_word_reader(int device, std::vector<const std::uint64_t*> words) override {
    return inner_->make_word_reader(device, std::move(words));
  }
  std::unique_ptr<device::Buffer> allocate_pinned(std::size_t bytes) override { return inner_->allocate_pinned(bytes); }
  std::unique_ptr<device::Registration> register_host(const std::byte* memory, std::size_t bytes) override {
    return inner_->register_host(memory, bytes);
  }
  std::unique_ptr<device::Stream> create_stream(int device, device::Priority priority, std::string_view name) override {
    streams_.emplace_back(name, priority);
    return inner_->create_stream(device, priority, name);
  }
  std::unique_ptr<device::Event> create_event(int device, device::Timing timing) override {
    if (before_event) before_event();
    return inner_->create_event(device, timing);
  }
  std::unique_ptr<device::SumList> prepare_sums(int device, std::span<const device::StridedSum> sums) override {
    return inner_->prepare_sums(device, sums);
  }
  std::unique_ptr<device::ReductionList> prepare_reductions(
      int device, std::span<const device::StridedReduction> reductions) override {
    return inner_->prepare_reductions(device, reductions);
  }
  std::unique_ptr<device::CopyList> prepare(int device, std::span<const device::StridedCopy> copies) override {
    return inner_->prepare(device, copies);
  }
  std::unique_ptr<device::CopyList> prepare_packing(int device, std::span<const device::StridedCopy> copies,
                                                    const device::HeaderWrite& write) override {
    return inner_->prepare_packing(device, copies, write);
  }
  std::unique_ptr<device::CopyList> prepare_unpacking(int device, std::span<const device::StridedCopy> copies,
                                                      const device::HeaderCheck& check) override {
    return inner_->prepare_unpacking(device, copies, check);
  }
  [[nodiscard]] Verdict communicators() const override { return inner_->communicators(); }
  [[nodiscard]] device::CommunicatorId make_communicator_id() override { return inner_->make_communicator_id(); }
  [[nodiscard]] std::vector<std::unique_ptr<device::Communicator>> join(
      const device::CommunicatorSetup& setup) override {
    return inner_->join(setup);
  }
  std::unique_ptr<device::FusedExchange> fuse(int device, const device::FusedPlan& plan) override {
    budgets_.push_back(plan.multiprocessors);
    next_may_start_.push_back(plan.next_may_start);
    for (const device::Participant& participant : plan.participants) {
      for (const device::OutgoingPart& part : participant.outgoing) packets_ += part.packets.offered() ? 1 : 0;
      for (const device::IncomingPart& part : participant.incoming) packets_ += part.packets.offered() ? 1 : 0;
    }
    return inner_->fuse(device, plan);
  }
  std::unique_ptr<device::Room> reserve_room(int device, int parts, int multiprocessors) override {
    rooms_.emplace_back(device, parts);
    return inner_->reserve_room(device, parts, multiprocessors);
  }
  [[nodiscard]] device::MemoryInfo memory_at(const void* address) const override {
    return said_.memory ? said_.memory(address) : inner_->memory_at(address);
  }
  [[nodiscard]] Verdict peer_access(int from, int to) const override { return inner_->peer_access(from, to); }
  [[nodiscard]] bool prefers_graphs() const override { return inner_->prefers_graphs(); }
  std::unique_ptr<device::Current> make_current(int device) override {
    current_.push_back(device);
    return inner_->make_current(device);
  }
  bool wait_until(const std::function<bool()>& done, const Deadline& deadline) override {
    return inner_->wait_until(done, deadline);
  }

 private:
  std::shared_ptr<device::Backend> inner_;
  Said said_;
  int maps_ = 0;
  std::vector<int> budgets_;
  std::vector<bool> next_may_start_;
  std::vector<std::pair<int, int>> rooms_;
  int packets_ = 0;
  std::vector<int> current_;
  std::vector<std::pair<std::string, device::Priority>> streams_;
};

}  // namespace halocline::test

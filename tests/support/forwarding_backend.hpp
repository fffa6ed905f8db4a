#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halocline/device/backend.hpp"

namespace halocline::test {

/// What a test lets a ForwardingBackend say of itself.
struct Said {
  device::BackendKind kind = device::BackendKind::host;
  device::Access overlapping_launches{};
  std::string uuid{};  ///< of the last device; empty: as the inner backend says
};

/// Another backend's work, with what a test says of it.
class ForwardingBackend final : public device::Backend {
 public:
  ForwardingBackend(std::shared_ptr<device::Backend> inner, Said said)
      : inner_(std::move(inner)), said_(std::move(said)) {}
  /// Maps that were asked for.
  [[nodiscard]] int maps() const { return maps_; }
  /// Names and priorities of the streams that were made.
  [[nodiscard]] const std::vector<std::pair<std::string, device::Priority>>& streams() const { return streams_; }
  /// Devices that were made current.
  [[nodiscard]] const std::vector<int>& current() const { return current_; }
  /// FusedPlan::multiprocessors of the exchanges that were made.
  [[nodiscard]] const std::vector<int>& budgets() const { return budgets_; }

  [[nodiscard]] device::BackendKind kind() const override { return said_.kind; }
  [[nodiscard]] device::Access overlapping_launches() const override { return said_.overlapping_launches; }
  [[nodiscard]] device::DeviceInfo info(int device) const override {
    device::DeviceInfo info = inner_->info(device);
    if (!said_.uuid.empty() && device == device_count() - 1) info.uuid = said_.uuid;
    return info;
  }
  std::unique_ptr<device::Mapping> map(int device, const device::MemoryHandle& handle) override {
    ++maps_;
    return inner_->map(device, handle);
  }

  [[nodiscard]] int device_count() const override { return inner_->device_count(); }
  [[nodiscard]] std::int64_t row_alignment_bytes() const override { return inner_->row_alignment_bytes(); }
  [[nodiscard]] std::int64_t sector_bytes() const override { return inner_->sector_bytes(); }
  std::unique_ptr<device::Buffer> allocate(int device, std::size_t bytes) override {
    return inner_->allocate(device, bytes);
  }
  std::unique_ptr<device::ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override {
    return inner_->allocate_shareable(device, bytes);
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
    return inner_->create_event(device, timing);
  }
  std::unique_ptr<device::CopyList> prepare(int device, std::span<const device::StridedCopy> copies) override {
    return inner_->prepare(device, copies);
  }
  std::unique_ptr<device::FusedExchange> fuse(int device, const device::FusedPlan& plan) override {
    budgets_.push_back(plan.multiprocessors);
    return inner_->fuse(device, plan);
  }
  [[nodiscard]] device::Access peer_access(int from, int to) const override { return inner_->peer_access(from, to); }
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
  std::vector<int> current_;
  std::vector<std::pair<std::string, device::Priority>> streams_;
};

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/backend.hpp"
#include "halocline/error.hpp"

namespace halocline::test {

/// A backend that reports made-up devices, and does no work.
class ListedDevices final : public device::Backend {
 public:
  ListedDevices(halocline::DeviceKind kind, std::vector<device::DeviceInfo> devices)
      : kind_(kind), devices_(std::move(devices)) {}

  /// Peer access; empty: between all devices.
  std::function<bool(int from, int to)> reaches;

  [[nodiscard]] halocline::DeviceKind kind() const override { return kind_; }
  [[nodiscard]] int device_count() const override { return static_cast<int>(devices_.size()); }
  [[nodiscard]] std::int64_t row_alignment_bytes() const override { return 64; }
  [[nodiscard]] std::int64_t sector_bytes() const override { return 1; }
  [[nodiscard]] device::DeviceInfo info(int device) const override {
    return devices_.at(static_cast<std::size_t>(device));
  }
  [[nodiscard]] Verdict peer_access(int from, int to) const override {
    return {!reaches || reaches(from, to), "the test says so"};
  }

  std::unique_ptr<device::Buffer> allocate(int, std::size_t) override { refuse(); }
  std::unique_ptr<device::ShareableBuffer> allocate_shareable(int, std::size_t) override { refuse(); }
  std::unique_ptr<device::Buffer> allocate_pinned(std::size_t) override { refuse(); }
  std::unique_ptr<device::Mapping> map(int, const device::MemoryHandle&) override { refuse(); }
  std::unique_ptr<device::Stream> create_stream(int, device::Priority, std::string_view) override { refuse(); }
  std::unique_ptr<device::Event> create_event(int, device::Timing) override { refuse(); }
  std::unique_ptr<device::Registration> register_host(const std::byte*, std::size_t) override { refuse(); }
  Verdict overlapping_launches() const override { return Verdict::of(true); }
  bool prefers_graphs() const override { return false; }
  std::unique_ptr<device::CopyList> prepare(int, std::span<const device::StridedCopy>) override { refuse(); }
  std::unique_ptr<device::CopyList> prepare_packing(int, std::span<const device::StridedCopy>,
                                                    const device::HeaderWrite&) override {
    refuse();
  }
  std::unique_ptr<device::CopyList> prepare_unpacking(int, std::span<const device::StridedCopy>,
                                                      const device::HeaderCheck&) override {
    refuse();
  }
  std::unique_ptr<device::SumList> prepare_sums(int, std::span<const device::StridedSum>) override { refuse(); }
  std::unique_ptr<device::ReductionList> prepare_reductions(int, std::span<const device::StridedReduction>) override {
    refuse();
  }
  std::unique_ptr<device::FusedExchange> fuse(int, const device::FusedPlan&) override { refuse(); }
  std::unique_ptr<device::Room> reserve_room(int, int, int) override { refuse(); }
  device::MemoryInfo memory_at(const void*) const override { return {}; }
  bool wait_until(const std::function<bool()>&, const Deadline&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw InternalError("ListedDevices does no work"); }

  halocline::DeviceKind kind_;
  std::vector<device::DeviceInfo> devices_;
};

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/round_up.hpp"
#include "device/cuda/virtual_memory.hpp"
#include "device/detail/exported.hpp"
#include "device/memory_account.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

/// Small allocations share pages of this size, and an IPC handle exports whole pages.
constexpr std::size_t export_granularity = std::size_t{2} << 20;

/// Throws ResourceError with the number of bytes if memory ran out.
void check_allocation(cudaError_t status, std::size_t bytes, const std::string& where) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  const std::string text = fmt::format("cannot allocate {} bytes {}: {}", bytes, where, describe(status));
  if (status == cudaErrorMemoryAllocation || status == cudaErrorInvalidValue) throw ResourceError(text);
  throw DeviceError(text);
}

/// cudaMalloc and cudaFree.
class Allocation {
 public:
  Allocation(std::shared_ptr<Devices> devices, int device, std::size_t bytes, std::size_t asked)
      : devices_(std::move(devices)), context_(devices_->at(device).context()), counted_(device, bytes) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    const std::string where = fmt::format("on device {} ({})", device, devices_->at(device).info().name);
    check_allocation(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), asked, where);
  }
  ~Allocation() {
    const CurrentDevice current(context_, std::nothrow);
    const CaptureAside aside;
    log_failure(cudaFree(data_), "cudaFree");
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::shared_ptr<Devices> devices_;
  Context context_;
  void* data_ = nullptr;
  CountedBytes counted_;
};

class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes)
      : memory_(std::move(devices), device, bytes, bytes), bytes_(bytes) {}
  [[nodiscard]] std::byte* data() const override { return memory_.data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  Allocation memory_;
  std::size_t bytes_;
};

std::size_t whole_pages(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), export_granularity); }

class LegacyBuffer final : public ShareableBuffer {
 public:
  LegacyBuffer(const std::shared_ptr<Devices>& devices, int device, std::size_t bytes)
      : device_(&devices->at(device)), memory_(devices, device, whole_pages(bytes), bytes), bytes_(bytes) {
    fill_with_zeros(*device_, memory_.data(), whole_pages(bytes));
  }
  [[nodiscard]] std::byte* data() const override { return memory_.data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] MemoryHandle handle() const override {
    ExportedMemory exported = exported_of(*device_, memory_.data(), bytes_, whole_pages(bytes_));
    export_legacy(*device_, memory_.data(), exported);
    return pack(exported);
  }

 private:
  const Device* device_;
  Allocation memory_;
  std::size_t bytes_;
};

/// Virtual memory that the device, and the backend's devices that have peer access to it, may load and store.
class VirtualBuffer final : public ShareableBuffer {
 public:
  VirtualBuffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes, ExportKind kind)
      : devices_(std::move(devices)), device_(&devices_->at(device)), kind_(kind), bytes_(bytes) {
    try {
      memory_.emplace(PhysicalMemory::create(*device_, bytes, kind));
      counted_ = CountedBytes(device, memory_->bytes());
      const CurrentDevice current(device_->context());
      const CaptureAside aside;
      allow_access(memory_->data(), memory_->bytes(), device_->ordinal());
      for (int other = 0; other < devices_->count(); ++other) {
        const int ordinal = devices_->at(other).ordinal();
        if (other == device || !devices_->peers().possible(other, device_->ordinal()).yes) continue;
        allow_access(memory_->data(), memory_->bytes(), ordinal);
      }
    } catch (const DriverError& error) {
      const std::string text = fmt::format("cannot allocate {} bytes on device {} ({}): {}", bytes, device,
                                           device_->info().name, error.what());
      if (error.out_of_memory()) throw ResourceError(text);
      throw DeviceError(text);
    }
    fill_with_zeros(*device_, memory_->data(), memory_->bytes());
  }
  [[nodiscard]] std::byte* data() const override { return memory_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] MemoryHandle handle() const override {
    ExportedMemory exported = exported_of(*device_, memory_->data(), bytes_, memory_->bytes());
    try {
      const std::lock_guard held(mutex_);
      if (!pieces_) pieces_.emplace(memory_->pieces(), kind_);
      pieces_->describe(0, exported);
    } catch (const DriverError& error) {
      refuse_export(*device_, error.what());
    }
    return pack(exported);
  }

 private:
  std::shared_ptr<Devices> devices_;
  const Device* device_;
  ExportKind kind_;
  std::size_t bytes_;
  std::optional<VirtualMemory> memory_;
  CountedBytes counted_;
  mutable std::mutex mutex_;
  mutable std::optional<ExportedPieces> pieces_;  ///< once asked for
};

class PinnedBuffer final : public Buffer {
 public:
  PinnedBuffer(std::shared_ptr<Devices> devices, std::size_t bytes)
      : devices_(std::move(devices)), context_(devices_->at(0).context()), bytes_(bytes), counted_(pinned_host, bytes) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    check_allocation(
        cudaHostAlloc(&data_, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable | cudaHostAllocMapped), bytes,
        "of pinned host memory");
  }
  ~PinnedBuffer() override {
    const CurrentDevice current(context_, std::nothrow);
    const CaptureAside aside;
    log_failure(cudaFreeHost(data_), "cudaFreeHost");
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<Devices> devices_;
  Context context_;
  void* data_ = nullptr;
  std::size_t bytes_;
  CountedBytes counted_;
};

}  // namespace

void fill_with_zeros(const Device& device, std::byte* data, std::size_t bytes) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  check(cudaMemsetAsync(data, 0, bytes, device.aside()), "cudaMemsetAsync");
  check(cudaStreamSynchronize(device.aside()), "cudaStreamSynchronize");
}

std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes) {
  return std::make_unique<DeviceBuffer>(std::move(devices), device, bytes);
}

std::unique_ptr<ShareableBuffer> make_shareable(std::shared_ptr<Devices> devices, int device, std::size_t bytes) {
  const ExportKind kind = devices->exports().of(device).kind;
  if (kind == ExportKind::ipc) return make_legacy_shareable(std::move(devices), device, bytes);
  return std::make_unique<VirtualBuffer>(std::move(devices), device, bytes, kind);
}

std::unique_ptr<ShareableBuffer> make_legacy_shareable(std::shared_ptr<Devices> devices, int device,
                                                       std::size_t bytes) {
  return std::make_unique<LegacyBuffer>(std::move(devices), device, bytes);
}

std::unique_ptr<Buffer> make_pinned(std::shared_ptr<Devices> devices, std::size_t bytes) {
  return std::make_unique<PinnedBuffer>(std::move(devices), bytes);
}

}  // namespace halocline::device::cuda

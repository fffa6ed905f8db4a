// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/log.hpp"
#include "device/cuda/discovery.hpp"
#include "device/detail/exported.hpp"
#include "device/detail/hidden_gpus.hpp"
#include "device/detail/process.hpp"
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
      : devices_(std::move(devices)), context_(devices_->at(device).context()) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    const std::string where = fmt::format("on device {} ({})", device, devices_->at(device).info().name);
    check_allocation(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), asked, where);
  }
  ~Allocation() {
    const CurrentDevice current(context_);
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

std::size_t whole_pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + export_granularity - 1) / export_granularity * export_granularity;
}

class ExportableBuffer final : public ShareableBuffer {
 public:
  ExportableBuffer(const std::shared_ptr<Devices>& devices, int device, std::size_t bytes)
      : device_(&devices->at(device)), memory_(devices, device, whole_pages(bytes), bytes), bytes_(bytes) {
    const CurrentDevice current(device_->context());
    const CaptureAside aside;
    check(cudaMemsetAsync(memory_.data(), 0, whole_pages(bytes), device_->aside()), "cudaMemsetAsync");
    check(cudaStreamSynchronize(device_->aside()), "cudaStreamSynchronize");
  }
  [[nodiscard]] std::byte* data() const override { return memory_.data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] MemoryHandle handle() const override {
    ExportedMemory exported;
    exported.process = process_identity();
    exported.address = reinterpret_cast<std::uintptr_t>(memory_.data());
    exported.bytes = bytes_;
    const std::string& uuid = device_->info().uuid;
    std::copy_n(uuid.begin(), std::min(uuid.size(), exported.uuid.size() - 1), exported.uuid.begin());
    const CurrentDevice current(device_->context());
    const CaptureAside aside;
    const cudaError_t status = cudaIpcGetMemHandle(&exported.ipc, memory_.data());
    if (status != cudaSuccess) {
      (void)cudaGetLastError();
      throw CapabilityError(
          fmt::format("memory of {} cannot be exported: cudaIpcGetMemHandle: {}", uuid, describe(status)));
    }
    return pack(exported);
  }

 private:
  const Device* device_;
  Allocation memory_;
  std::size_t bytes_;
};

class PinnedBuffer final : public Buffer {
 public:
  PinnedBuffer(std::shared_ptr<Devices> devices, std::size_t bytes)
      : devices_(std::move(devices)), context_(devices_->at(0).context()), bytes_(bytes) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    check_allocation(
        cudaHostAlloc(&data_, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable | cudaHostAllocMapped), bytes,
        "of pinned host memory");
  }
  ~PinnedBuffer() override {
    const CurrentDevice current(context_);
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
};

/// Memory of this process: nothing to open.
class SameProcess final : public Mapping {
 public:
  explicit SameProcess(const ExportedMemory& memory)
      // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer of this process
      : data_(reinterpret_cast<std::byte*>(memory.address)), bytes_(memory.bytes) {}
  [[nodiscard]] std::byte* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// CUDA counts how often a handle was opened, and returns the same address each time.
class OtherProcess final : public Mapping {
 public:
  OtherProcess(std::shared_ptr<Devices> devices, int device, const ExportedMemory& memory)
      : devices_(std::move(devices)), context_(devices_->at(device).context()), bytes_(memory.bytes) {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    const cudaError_t status = cudaIpcOpenMemHandle(&data_, memory.ipc, cudaIpcMemLazyEnablePeerAccess);
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    const char* mask = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string hint = hint_of_hidden_gpu(ordinal_of(memory.uuid.data()) >= 0,
                                                mask == nullptr ? std::nullopt : std::optional<std::string>(mask));
    const std::string text = fmt::format("{} cannot map memory of {} of another process: cudaIpcOpenMemHandle: {}{}",
                                         devices_->at(device).info().uuid, memory.uuid.data(), describe(status), hint);
    if (static std::once_flag once; !hint.empty()) {
      std::call_once(once, [&] { log(LogLevel::warning, "halos take a slower way: " + text); });
    }
    throw CapabilityError(text);
  }
  ~OtherProcess() override {
    const CurrentDevice current(context_);
    const CaptureAside aside;
    log_failure(cudaIpcCloseMemHandle(data_), "cudaIpcCloseMemHandle");
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<Devices> devices_;
  Context context_;
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Buffer> make_buffer(std::shared_ptr<Devices> devices, int device, std::size_t bytes) {
  return std::make_unique<DeviceBuffer>(std::move(devices), device, bytes);
}

std::unique_ptr<ShareableBuffer> make_shareable(std::shared_ptr<Devices> devices, int device, std::size_t bytes) {
  return std::make_unique<ExportableBuffer>(devices, device, bytes);
}

std::unique_ptr<Buffer> make_pinned(std::shared_ptr<Devices> devices, std::size_t bytes) {
  return std::make_unique<PinnedBuffer>(std::move(devices), bytes);
}

std::unique_ptr<Mapping> make_mapping(std::shared_ptr<Devices> devices, int device, const ExportedMemory& memory) {
  // If this process sees the exporter's device, peer access decides; otherwise trying to open the handle does.
  const bool same_process = memory.process == process_identity();
  const int exporter = ordinal_of(memory.uuid.data());
  if (exporter >= 0) {
    Peers& peers = devices->peers();
    const Verdict access = same_process ? peers.access_to_ordinal(device, exporter) : peers.possible(device, exporter);
    if (!access.yes) {
      throw CapabilityError(fmt::format("{} cannot map memory of {}: {}", devices->at(device).info().uuid,
                                        memory.uuid.data(), access.why_not));
    }
  }
  if (same_process) return std::make_unique<SameProcess>(memory);
  return std::make_unique<OtherProcess>(std::move(devices), device, memory);
}

}  // namespace halocline::device::cuda

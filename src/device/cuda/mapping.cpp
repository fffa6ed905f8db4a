// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/foreign_descriptor.hpp"
#include "core/log.hpp"
#include "device/cuda/discovery.hpp"
#include "device/cuda/legacy_import.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/pool_import.hpp"
#include "device/cuda/virtual_memory.hpp"
#include "device/detail/hidden_gpus.hpp"
#include "device/detail/process.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

[[noreturn]] void refuse_map(const Device& mapper, const ExportedMemory& memory, const std::string& why) {
  throw CapabilityError(fmt::format("{} cannot map memory of {}: {}", mapper.info().uuid, memory.uuid.data(), why));
}

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

/// By a legacy IPC handle.
class LegacyMapping final : public Mapping {
 public:
  LegacyMapping(std::shared_ptr<Devices> devices, int device, const ExportedMemory& memory)
      : devices_(std::move(devices)), bytes_(memory.bytes) {
    // A handle of another host could fit memory of this one.
    if (memory.owner.host != host_identity()) {
      refuse_map(devices_->at(device), memory,
                 fmt::format("it is of another host, beyond which legacy IPC handles do not reach{}",
                             memory.of_user != 0 ? ""
                                                 : "; HALOCLINE_DEVICE_MEMORY=fabric exports beyond a host where "
                                                   "NVLink does"));
    }
    try {
      memory_ = import_by_handle(devices_->at(device), memory);
    } catch (const Error& error) {
      refuse(devices_->at(device), memory, error.what());
    }
  }
  [[nodiscard]] std::byte* data() const override { return memory_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  [[noreturn]] static void refuse(const Device& mapper, const ExportedMemory& memory, const std::string& why) {
    const char* mask = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string hint = hint_of_hidden_gpu(ordinal_of(memory.uuid.data()) >= 0,
                                                mask == nullptr ? std::nullopt : std::optional<std::string>(mask));
    const std::string text = fmt::format("{} cannot map memory of {} of another process: {}{}", mapper.info().uuid,
                                         memory.uuid.data(), why, hint);
    if (static std::once_flag once; !hint.empty()) {
      std::call_once(once, [&] { log(LogLevel::warning, "halos take a slower way: " + text); });
    }
    throw CapabilityError(text);
  }

  std::shared_ptr<Devices> devices_;
  std::size_t bytes_;
  std::shared_ptr<LegacyMemory> memory_;
};

/// By file descriptors or fabric handles.
class VirtualMapping final : public Mapping {
 public:
  VirtualMapping(std::shared_ptr<Devices> devices, int device, std::span<const ExportedMemory> pieces)
      : devices_(std::move(devices)) {
    const Device& mapper = devices_->at(device);
    const CurrentDevice current(mapper.context());
    const CaptureAside aside;
    try {
      std::vector<PhysicalMemory> imported;
      for (const ExportedMemory& piece : pieces) {
        imported.push_back(PhysicalMemory::import(piece));
        bytes_ += piece.bytes;
      }
      memory_.emplace(std::move(imported));
      allow_access(memory_->data(), memory_->bytes(), mapper.ordinal());
    } catch (const Error& error) {
      refuse_map(mapper, pieces.front(), fmt::format("by {}: {}", to_string(pieces.front().kind), error.what()));
    }
  }
  [[nodiscard]] std::byte* data() const override { return memory_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<Devices> devices_;
  std::size_t bytes_ = 0;
  std::optional<VirtualMemory> memory_;
};

/// Of a pool of another process.
class PoolMapping final : public Mapping {
 public:
  PoolMapping(std::shared_ptr<Devices> devices, int device, const ExportedMemory& memory)
      : devices_(std::move(devices)), bytes_(memory.bytes) {
    const Device& mapper = devices_->at(device);
    try {
      memory_ = import_from_pool(mapper, memory);
    } catch (const Error& error) {
      refuse_map(mapper, memory, fmt::format("by {}: {}", to_string(memory.kind), error.what()));
    }
  }
  [[nodiscard]] std::byte* data() const override { return memory_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<Devices> devices_;
  std::size_t bytes_;
  std::shared_ptr<PooledMemory> memory_;
};

/// Lets a device access virtual memory of this process.
void allow_here(const Device& device, const ExportedMemory& memory, std::byte* data) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  try {
    allow_access(data, memory.allocated, device.ordinal());
  } catch (const DriverError& error) {
    refuse_map(device, memory, error.what());
  }
}

}  // namespace

std::unique_ptr<Mapping> make_mapping(std::shared_ptr<Devices> devices, int device,
                                      std::span<const ExportedMemory> pieces) {
  const ExportedMemory& memory = pieces.front();
  // If this process sees the exporter's device, peer access decides; otherwise trying to open the handle does.
  const bool same_process = memory.process == process_identity();
  const int exporter = ordinal_of(memory.uuid.data());
  if (exporter >= 0) {
    Peers& peers = devices->peers();
    const Verdict access = same_process ? peers.access_to_ordinal(device, exporter) : peers.possible(device, exporter);
    if (!access.yes) refuse_map(devices->at(device), memory, access.why_not);
  }
  const bool is_virtual = memory.kind == ExportKind::fd || memory.kind == ExportKind::fabric;
  if (is_virtual && (!same_process || memory.of_user != 0)) {
    return std::make_unique<VirtualMapping>(std::move(devices), device, pieces);
  }
  if (!same_process && memory.kind == ExportKind::pool) {
    return std::make_unique<PoolMapping>(std::move(devices), device, memory);
  }
  if (!same_process) return std::make_unique<LegacyMapping>(std::move(devices), device, memory);
  if (memory.kind == ExportKind::pool && devices->at(device).ordinal() != exporter) {
    refuse_map(devices->at(device), memory, "it is of a memory pool of this process, which peer access does not cover");
  }
  auto mapping = std::make_unique<SameProcess>(memory);
  // The exporter let devices of its own backend access virtual memory; this one may be of another.
  if (is_virtual) allow_here(devices->at(device), memory, mapping->data());
  return mapping;
}

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/memory_export.hpp"

#include <fmt/format.h>

#include "core/log.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/virtual_memory.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {
namespace {

bool has_attribute(CUdevice_attribute attribute, int cuda_ordinal) {
  int value = 0;
  return memory_driver().attribute(&value, attribute, cuda_ordinal) == CUDA_SUCCESS && value != 0;
}

}  // namespace

const char* to_string(ExportKind kind) {
  switch (kind) {
    case ExportKind::ipc: return "legacy IPC handles";
    case ExportKind::fd: return "file descriptors";
    case ExportKind::fabric: return "fabric handles";
    case ExportKind::pool: return "a memory pool's file descriptor";
  }
  throw InternalError("an ExportKind without a name");
}

Verdict try_export(const Device& device, ExportKind kind) {
  const bool fabric = kind == ExportKind::fabric;
  try {
    if (!has_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device.ordinal())) {
      return Verdict::of(false, "the device has no virtual memory management");
    }
    if (!has_attribute(fabric ? CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED
                              : CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                       device.ordinal())) {
      return Verdict::of(false, fmt::format("the device or its driver does not support {}", to_string(kind)));
    }
    const VirtualMemory memory(PhysicalMemory::create(device, 1, kind));
    allow_access(memory.data(), memory.bytes(), device.ordinal());
    const ExportedPieces exported(memory.pieces(), kind);
  } catch (const Error& error) {
    return Verdict::of(false, fmt::format("{}{}", error.what(),
                                          fabric ? " (fabric handles need an IMEX channel, and nvidia-imex on each "
                                                   "host beyond which memory is mapped)"
                                                 : ""));
  }
  return Verdict::of(true);
}

Export Exports::of(int device) {
  const std::lock_guard held(mutex_);
  const auto found = known_.find(device);
  if (found != known_.end()) return found->second;
  return known_.emplace(device, choose(*devices_[static_cast<std::size_t>(device)])).first->second;
}

Export Exports::choose(const Device& device) const {
  switch (wanted_) {
    case MemoryExport::ipc: return {};
    case MemoryExport::automatic: {
      const Verdict fabric = try_export(device, ExportKind::fabric);
      if (fabric.yes) return {ExportKind::fabric, ""};
      log(LogLevel::debug,
          fmt::format("memory of {} is exported by legacy IPC handles: {}", device.info().uuid, fabric.why_not));
      return {ExportKind::ipc, fabric.why_not};
    }
    case MemoryExport::fd:
    case MemoryExport::fabric: break;
  }
  const bool is_fd = wanted_ == MemoryExport::fd;
  const ExportKind kind = is_fd ? ExportKind::fd : ExportKind::fabric;
  const Verdict answer = try_export(device, kind);
  if (answer.yes) return {kind, ""};
  throw CapabilityError(
      fmt::format("HALOCLINE_DEVICE_MEMORY is '{}', which device {} refuses: {}; allowed is auto or ipc",
                  is_fd ? "fd" : "fabric", device.info().uuid, answer.why_not));
}

}  // namespace halocline::device::cuda

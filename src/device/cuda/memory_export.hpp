// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "core/verdict.hpp"
#include "device/cuda/device.hpp"
#include "device/cuda_backend.hpp"

namespace halocline::device::cuda {

/// How memory that other processes map is allocated and exported.
enum class ExportKind : std::uint32_t {
  ipc,     ///< cudaMalloc(), by legacy IPC handles: to processes of the host
  fd,      ///< virtual memory, by file descriptors: to processes of the host that may take them
  fabric,  ///< virtual memory, by fabric handles: to all processes that an NVLink fabric joins, of any host
  pool     ///< of the caller's memory pool, by its file descriptor: as fd
};
/// "fabric handles"
[[nodiscard]] const char* to_string(ExportKind kind);

/// What was chosen for a device.
struct Export {
  ExportKind kind = ExportKind::ipc;
  std::string why;  ///< not fabric handles, where they would have been chosen; otherwise empty
};

/// What each device of a backend exports, chosen when it is first needed. Thread-safe.
class Exports {
 public:
  /// The devices must outlive this.
  Exports(std::span<const std::unique_ptr<Device>> devices, MemoryExport wanted) : devices_(devices), wanted_(wanted) {}
  /// Throws CapabilityError if the device refuses what the setting asks for.
  [[nodiscard]] Export of(int device);

 private:
  [[nodiscard]] Export choose(const Device& device) const;

  std::span<const std::unique_ptr<Device>> devices_;
  MemoryExport wanted_;
  std::mutex mutex_;
  std::map<int, Export> known_;
};

/// Whether a device exports virtual memory in this way, by the driver's attribute and a trial of one small allocation: fabric handles need
/// an IMEX channel, which no attribute shows.
[[nodiscard]] Verdict try_export(const Device& device, ExportKind kind);

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/device.hpp"
#include "device/cuda/exported_memory.hpp"

namespace halocline::device::cuda {

/// Memory of another process's cudaMalloc(), at an address of this process. Owner; its destructor gives the address back.
class LegacyMemory {
 public:
  LegacyMemory(Context context, const ExportedMemory& memory);
  ~LegacyMemory();
  LegacyMemory(const LegacyMemory&) = delete;
  LegacyMemory& operator=(const LegacyMemory&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  Context context_;
  void* data_ = nullptr;
};

/// Memory of ExportKind::ipc, for a device. Each handle is opened once for each device of this process, for as long as it is used: CUDA
/// counts how often one is opened, but compute-sanitizer's memcheck forgets the memory at the first close. Thread-safe.
/// Throws ResourceError, DeviceError.
[[nodiscard]] std::shared_ptr<LegacyMemory> import_by_handle(const Device& device, const ExportedMemory& memory);

}  // namespace halocline::device::cuda

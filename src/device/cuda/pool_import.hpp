// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/device.hpp"
#include "device/cuda/exported_memory.hpp"

namespace halocline::device::cuda {

class ImportedPool;

/// An allocation of another process's memory pool, at an address of this process. Owner; its destructor frees the address, which waits for
/// the device, and must have done so before the exporter frees the allocation.
class PooledMemory {
 public:
  PooledMemory(std::shared_ptr<ImportedPool> pool, Context context, const ExportedMemory& memory);
  ~PooledMemory();
  PooledMemory(const PooledMemory&) = delete;
  PooledMemory& operator=(const PooledMemory&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::shared_ptr<ImportedPool> pool_;  // goes after the address is freed
  Context context_;
  void* data_ = nullptr;
};

/// Memory of ExportKind::pool, for a device. Each pool and each allocation is imported once for all of this process, for as long as it is
/// used. Thread-safe. Throws CapabilityError, DeviceError.
[[nodiscard]] std::shared_ptr<PooledMemory> import_from_pool(const Device& device, const ExportedMemory& memory);

}  // namespace halocline::device::cuda

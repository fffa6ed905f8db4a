// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstddef>
#include <span>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/cuda/physical_memory.hpp"

namespace halocline::device::cuda {

/// Pieces of physical memory, possibly of another process or host, back to back at addresses of this process. Owner; its destructor
/// unmaps, frees the addresses and releases the memory, in this order, whichever device is current. The caller guarantees that no work
/// uses it then. Devices may access it once they are allowed to; cudaDeviceEnablePeerAccess() does not matter.
class VirtualMemory {
 public:
  /// Throws DriverError.
  explicit VirtualMemory(std::vector<PhysicalMemory> pieces);
  explicit VirtualMemory(PhysicalMemory piece);
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  [[nodiscard]] std::byte* data() const;
  /// Of all pieces.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::span<const PhysicalMemory> pieces() const { return pieces_; }

 private:
  void release() noexcept;

  std::vector<PhysicalMemory> pieces_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;  ///< pieces, the first ones
};

/// Lets a device load and store all of a VirtualMemory of this process, besides the devices that may already. Throws DriverError.
void allow_access(std::byte* data, std::size_t bytes, int cuda_ordinal);

}  // namespace halocline::device::cuda

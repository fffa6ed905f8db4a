// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstddef>

#include "device/cuda/device.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

/// A call of the driver's virtual memory management failed: "cuMemCreate: out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
class DriverError final : public DeviceError {
 public:
  DriverError(CUresult status, const char* call);
  /// Memory ran out, or more was asked for than there is.
  [[nodiscard]] bool out_of_memory() const {
    return status_ == CUDA_ERROR_OUT_OF_MEMORY || status_ == CUDA_ERROR_INVALID_VALUE;
  }

 private:
  CUresult status_;
};

/// Memory of a device (cuMemCreate), possibly of another process or host, at addresses of this process: physical memory, reserved
/// addresses, and the mapping of one to the other. Owner; its destructor unmaps, frees the addresses and releases the memory, in this
/// order, whichever device is current. The caller guarantees that no work uses it then. Devices may access it once they are allowed to;
/// cudaDeviceEnablePeerAccess() does not matter.
class VirtualMemory {
 public:
  /// At least so many bytes of a device, for that device, which can be exported as `type`. The contents are undefined. Throws
  /// DriverError.
  VirtualMemory(const Device& device, std::size_t bytes, CUmemAllocationHandleType type);
  /// What another process exported: os_handle as for cuMemImportFromShareableHandle(), bytes of the whole allocation. Throws
  /// DriverError.
  VirtualMemory(void* os_handle, CUmemAllocationHandleType type, std::size_t bytes);
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  [[nodiscard]] std::byte* data() const;
  /// Of the whole allocation.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Into *handle: an int, or a CUmemFabricHandle. Throws DriverError.
  void export_to(void* handle, CUmemAllocationHandleType type) const;

 private:
  void map();
  void release() noexcept;

  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
  bool is_mapped_ = false;
};

/// Lets a device load and store all of a VirtualMemory of this process, besides the devices that may already. Throws DriverError.
void allow_access(std::byte* data, std::size_t bytes, int cuda_ordinal);

}  // namespace halocline::device::cuda

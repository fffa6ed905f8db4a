// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <string>

#include "halocline/error.hpp"

namespace halocline::device::cuda {

/// The functions of the driver for which the runtime has no equivalent. Looked up through the runtime, which has found the driver.
struct Driver {
  decltype(&cuGetErrorString) error_string = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
  decltype(&cuCtxGetCurrent) get_current = nullptr;
  decltype(&cuCtxSetCurrent) set_current = nullptr;
  decltype(&cuDeviceGet) get_device = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) retain_primary = nullptr;
  decltype(&cuPointerGetAttributes) pointer_attributes = nullptr;
};

/// Throws CapabilityError if the driver lacks one of them.
[[nodiscard]] const Driver& driver();

/// The same for virtual memory management.
struct MemoryDriver {
  decltype(&cuDeviceGetAttribute) attribute = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemAddressReserve) reserve_addresses = nullptr;
  decltype(&cuMemAddressFree) free_addresses = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuMemRetainAllocationHandle) retain = nullptr;
  decltype(&cuMemGetAllocationPropertiesFromHandle) properties = nullptr;
  decltype(&cuMemExportToShareableHandle) export_memory = nullptr;
  decltype(&cuMemImportFromShareableHandle) import_memory = nullptr;
};

/// Throws CapabilityError if the driver lacks one of them.
[[nodiscard]] const MemoryDriver& memory_driver();

/// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
[[nodiscard]] std::string describe(CUresult status);

/// A call of the driver failed: "cuMemCreate: out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
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

/// Throws DriverError.
void require(CUresult status, const char* call);
/// For destructors; nothing if the program is ending.
void log_driver_failure(CUresult status, const char* call) noexcept;

}  // namespace halocline::device::cuda

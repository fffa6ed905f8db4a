// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <string>

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
  decltype(&cuMemExportToShareableHandle) export_memory = nullptr;
  decltype(&cuMemImportFromShareableHandle) import_memory = nullptr;
};

/// Throws CapabilityError if the driver lacks one of them.
[[nodiscard]] const MemoryDriver& memory_driver();

/// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
[[nodiscard]] std::string describe(CUresult status);

}  // namespace halocline::device::cuda

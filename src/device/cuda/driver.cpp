// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/driver.hpp"

#include <fmt/format.h>

#include "core/log.hpp"
#include "device/cuda/runtime.hpp"

namespace halocline::device::cuda {
namespace {

template <typename Function>
void find(Function& function, const char* name) {
  constexpr unsigned version = 12000;
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found), name);
  if (found != cudaDriverEntryPointSuccess || address == nullptr) {
    throw CapabilityError(fmt::format("the CUDA driver has no {}", name));
  }
  function = reinterpret_cast<Function>(address);
}

}  // namespace

const Driver& driver() {
  static const Driver functions = [] {
    Driver all;
    find(all.error_string, "cuGetErrorString");
    find(all.error_name, "cuGetErrorName");
    find(all.get_current, "cuCtxGetCurrent");
    find(all.set_current, "cuCtxSetCurrent");
    find(all.get_device, "cuDeviceGet");
    find(all.retain_primary, "cuDevicePrimaryCtxRetain");
    find(all.pointer_attributes, "cuPointerGetAttributes");
    return all;
  }();
  return functions;
}

const MemoryDriver& memory_driver() {
  static const MemoryDriver functions = [] {
    MemoryDriver all;
    find(all.attribute, "cuDeviceGetAttribute");
    find(all.granularity, "cuMemGetAllocationGranularity");
    find(all.create, "cuMemCreate");
    find(all.release, "cuMemRelease");
    find(all.reserve_addresses, "cuMemAddressReserve");
    find(all.free_addresses, "cuMemAddressFree");
    find(all.map, "cuMemMap");
    find(all.unmap, "cuMemUnmap");
    find(all.set_access, "cuMemSetAccess");
    find(all.retain, "cuMemRetainAllocationHandle");
    find(all.properties, "cuMemGetAllocationPropertiesFromHandle");
    find(all.export_memory, "cuMemExportToShareableHandle");
    find(all.import_memory, "cuMemImportFromShareableHandle");
    return all;
  }();
  return functions;
}

std::string describe(CUresult status) {
  const char* text = nullptr;
  const char* name = nullptr;
  if (driver().error_string(status, &text) != CUDA_SUCCESS || driver().error_name(status, &name) != CUDA_SUCCESS) {
    return fmt::format("error {} of the driver", int{status});
  }
  return fmt::format("{} ({})", text, name);
}

DriverError::DriverError(CUresult status, const char* call)
    : DeviceError(fmt::format("{}: {}", call, describe(status))), status_(status) {}

void require(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS) throw DriverError(status, call);
}

void log_driver_failure(CUresult status, const char* call) noexcept {
  if (status == CUDA_SUCCESS || status == CUDA_ERROR_DEINITIALIZED) return;
  try {
    log(LogLevel::warning, DriverError(status, call).what());
  } catch (...) {
    log(LogLevel::warning, call);
  }
}

}  // namespace halocline::device::cuda

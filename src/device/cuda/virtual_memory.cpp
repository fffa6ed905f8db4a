// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/virtual_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/log.hpp"
#include "device/cuda/driver.hpp"

namespace halocline::device::cuda {
namespace {

void require(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS) throw DriverError(status, call);
}

/// For destructors; nothing if the program is ending.
void log_driver_failure(CUresult status, const char* call) noexcept {
  if (status == CUDA_SUCCESS || status == CUDA_ERROR_DEINITIALIZED) return;
  try {
    log(LogLevel::warning, DriverError(status, call).what());
  } catch (...) {
    log(LogLevel::warning, call);
  }
}

CUmemAllocationProp properties_of(const Device& device, CUmemAllocationHandleType type) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device.ordinal();
  int network = 0;
  require(memory_driver().attribute(&network, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                    device.ordinal()),
          "cuDeviceGetAttribute");
  properties.allocFlags.gpuDirectRDMACapable = network != 0 ? 1 : 0;  // as of cudaMalloc(), for the user's own MPI
  return properties;
}

}  // namespace

DriverError::DriverError(CUresult status, const char* call)
    : DeviceError(fmt::format("{}: {}", call, describe(status))), status_(status) {}

VirtualMemory::VirtualMemory(const Device& device, std::size_t bytes, CUmemAllocationHandleType type) {
  const CurrentDevice current(device.context());
  const CaptureAside aside;
  const CUmemAllocationProp properties = properties_of(device, type);
  std::size_t unit = 0;
  require(memory_driver().granularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
          "cuMemGetAllocationGranularity");
  const std::size_t units = std::max<std::size_t>(bytes, 1) / unit + (bytes % unit != 0 || bytes == 0 ? 1 : 0);
  if (units > std::numeric_limits<std::size_t>::max() / unit)
    throw DriverError(CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate");
  bytes_ = units * unit;
  require(memory_driver().create(&memory_, bytes_, &properties, 0), "cuMemCreate");
  try {
    map();
    allow_access(data(), bytes_, device.ordinal());
  } catch (...) {
    release();
    throw;
  }
}

VirtualMemory::VirtualMemory(void* os_handle, CUmemAllocationHandleType type, std::size_t bytes) : bytes_(bytes) {
  require(memory_driver().import_memory(&memory_, os_handle, type), "cuMemImportFromShareableHandle");
  try {
    map();
  } catch (...) {
    release();
    throw;
  }
}

VirtualMemory::~VirtualMemory() { release(); }

std::byte* VirtualMemory::data() const {
  return reinterpret_cast<std::byte*>(address_);  // NOLINT(performance-no-int-to-ptr): CUdeviceptr is an address
}

void VirtualMemory::export_to(void* handle, CUmemAllocationHandleType type) const {
  require(memory_driver().export_memory(handle, memory_, type, 0), "cuMemExportToShareableHandle");
}

void VirtualMemory::map() {
  require(memory_driver().reserve_addresses(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
  require(memory_driver().map(address_, bytes_, 0, memory_, 0), "cuMemMap");
  is_mapped_ = true;
}

void VirtualMemory::release() noexcept {
  if (is_mapped_) log_driver_failure(memory_driver().unmap(address_, bytes_), "cuMemUnmap");
  if (address_ != 0) log_driver_failure(memory_driver().free_addresses(address_, bytes_), "cuMemAddressFree");
  log_driver_failure(memory_driver().release(memory_), "cuMemRelease");
}

void allow_access(std::byte* data, std::size_t bytes, int cuda_ordinal) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = cuda_ordinal;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  require(memory_driver().set_access(reinterpret_cast<CUdeviceptr>(data), bytes, &access, 1), "cuMemSetAccess");
}

}  // namespace halocline::device::cuda

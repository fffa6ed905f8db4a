// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace halocline::test {

/// A function of CUDA's driver, which programs here do not link.
template <typename Function>
[[nodiscard]] Function driver_function(const char* name) {
  constexpr unsigned version = 12000;
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    throw std::runtime_error(std::string("the CUDA driver has no ") + name);
  }
  return reinterpret_cast<Function>(address);
}
#define HALOCLINE_DRIVER(function) halocline::test::driver_function<decltype(&function)>(#function)

/// Whether a GPU, by CUDA's number, has what MappedMemory needs.
[[nodiscard]] inline bool maps_memory(int ordinal) {
  CUdevice device = 0;
  int answer = 0;
  return HALOCLINE_DRIVER(cuDeviceGet)(&device, ordinal) == CUDA_SUCCESS &&
         HALOCLINE_DRIVER(cuDeviceGetAttribute)(&answer, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                                device) == CUDA_SUCCESS &&
         answer != 0;
}

/// Memory of a GPU that cuMemCreate allocated and cuMemMap mapped, for that GPU alone, as PyTorch's expandable segments have it.
class MappedMemory {
 public:
  MappedMemory(int ordinal, std::size_t bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
    std::size_t page = 0;
    expect(HALOCLINE_DRIVER(cuMemGetAllocationGranularity)(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bytes_ = (bytes + page - 1) / page * page;
    expect(HALOCLINE_DRIVER(cuMemAddressReserve)(&address_, bytes_, 0, 0, 0));
    expect(HALOCLINE_DRIVER(cuMemCreate)(&memory_, bytes_, &properties, 0));
    expect(HALOCLINE_DRIVER(cuMemMap)(address_, bytes_, 0, memory_, 0));
    const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    expect(HALOCLINE_DRIVER(cuMemSetAccess)(address_, bytes_, &access, 1));
  }
  ~MappedMemory() {
    expect(HALOCLINE_DRIVER(cuMemUnmap)(address_, bytes_));
    expect(HALOCLINE_DRIVER(cuMemRelease)(memory_));
    expect(HALOCLINE_DRIVER(cuMemAddressFree)(address_, bytes_));
  }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are integers
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  static void expect(CUresult status) { EXPECT_EQ(status, CUDA_SUCCESS); }

  CUdeviceptr address_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace halocline::test

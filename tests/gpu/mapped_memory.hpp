// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Whether mapped memory and memory pools of the device can be exported by file descriptors.
[[nodiscard]] inline bool exports_descriptors(int ordinal) {
  CUdevice device = 0;
  int answer = 0;
  return maps_memory(ordinal) && HALOCLINE_DRIVER(cuDeviceGet)(&device, ordinal) == CUDA_SUCCESS &&
         HALOCLINE_DRIVER(cuDeviceGetAttribute)(
             &answer, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device) == CUDA_SUCCESS &&
         answer != 0 &&
         HALOCLINE_DRIVER(cuDeviceGetAttribute)(&answer, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, device) ==
             CUDA_SUCCESS &&
         (answer & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0;
}

/// Memory of a GPU that cuMemCreate allocated and cuMemMap mapped, for that GPU alone: as many equal pieces, back to back, as PyTorch's
/// expandable segments have them.
class MappedMemory {
 public:
  MappedMemory(int ordinal, std::size_t bytes, std::size_t pieces = 1,
               CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_NONE) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = type;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
    std::size_t page = 0;
    expect(HALOCLINE_DRIVER(cuMemGetAllocationGranularity)(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    piece_bytes_ = (bytes / pieces + page) / page * page;
    bytes_ = pieces * piece_bytes_;
    expect(HALOCLINE_DRIVER(cuMemAddressReserve)(&address_, bytes_, 0, 0, 0));
    for (std::size_t i = 0; i < pieces; ++i) {
      CUmemGenericAllocationHandle memory = 0;
      expect(HALOCLINE_DRIVER(cuMemCreate)(&memory, piece_bytes_, &properties, 0));
      expect(HALOCLINE_DRIVER(cuMemMap)(address_ + i * piece_bytes_, piece_bytes_, 0, memory, 0));
      memory_.push_back(memory);
    }
    const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    expect(HALOCLINE_DRIVER(cuMemSetAccess)(address_, bytes_, &access, 1));
  }
  ~MappedMemory() {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      expect(HALOCLINE_DRIVER(cuMemUnmap)(address_ + i * piece_bytes_, piece_bytes_));
      expect(HALOCLINE_DRIVER(cuMemRelease)(memory_[i]));
    }
    expect(HALOCLINE_DRIVER(cuMemAddressFree)(address_, bytes_));
  }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are integers
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(address_); }
  [[nodiscard]] std::size_t piece_bytes() const { return piece_bytes_; }

 private:
  static void expect(CUresult status) { EXPECT_EQ(status, CUDA_SUCCESS); }

  CUdeviceptr address_ = 0;
  std::vector<CUmemGenericAllocationHandle> memory_;
  std::size_t piece_bytes_ = 0;
  std::size_t bytes_ = 0;
};

/// A memory pool of a GPU whose memory has file descriptors, unlike the default pool's.
class ExportablePool {
 public:
  explicit ExportablePool(int ordinal) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ordinal;
    EXPECT_EQ(cudaSetDevice(ordinal), cudaSuccess);
    EXPECT_EQ(cudaMemPoolCreate(&pool_, &properties), cudaSuccess);
  }
  ~ExportablePool() { EXPECT_EQ(cudaMemPoolDestroy(pool_), cudaSuccess); }
  ExportablePool(const ExportablePool&) = delete;
  ExportablePool& operator=(const ExportablePool&) = delete;
  /// Freed by cudaFree(), before the pool is destroyed.
  [[nodiscard]] void* allocate(std::size_t bytes) const {
    void* data = nullptr;
    EXPECT_EQ(cudaMallocFromPoolAsync(&data, bytes, pool_, cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    return data;
  }

 private:
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace halocline::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "halocline/error.hpp"
#include "halocline/view.hpp"

// What launching an application's kernels takes.
namespace apps::cuda {

/// Throws DeviceError with CUDA's text. what: that was done, e.g. "launching an update".
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw halocline::DeviceError(std::string(what) + ": " + cudaGetErrorString(result));
}

/// Kernels are launched on the current device, which is the caller's again afterwards.
class OnDevice {
 public:
  explicit OnDevice(int ordinal) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    check(cudaSetDevice(ordinal), "cudaSetDevice");
  }
  ~OnDevice() { static_cast<void>(cudaSetDevice(before_)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// Of a device, by CUDA's ordinal.
inline int multiprocessors_of(int ordinal) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal), "cudaDeviceGetAttribute");
  return processors;
}

/// Whether rows begin at multiples of 16 bytes, where groups of cells are counted from.
template <typename T>
bool in_groups(const halocline::View<T>& view) {
  const auto stride = view.stride_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(view.data());
  return address % 16 == 0 && stride[0] == static_cast<std::int64_t>(sizeof(T)) && stride[1] % 16 == 0 &&
         stride[2] % 16 == 0;
}

/// Bytes of the L2 cache of a device, by CUDA's ordinal.
inline std::int64_t cache_bytes_of(int ordinal) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, ordinal), "cudaDeviceGetAttribute");
  return bytes;
}

constexpr std::int64_t parts_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

}  // namespace apps::cuda

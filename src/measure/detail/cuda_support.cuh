// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "halocline/error.hpp"

namespace halocline::machine::measuring::cuda {

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // so that it is not taken for a later call's
  const std::string text =
      std::string(what) + " failed: " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
  if (code == cudaErrorMemoryAllocation) throw ResourceError(text);
  throw DeviceError(text);
}

/// Makes a device, by CUDA's number, current until the end of its scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int number) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    check(cudaSetDevice(number), "cudaSetDevice");
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

/// Enqueues a copying kernel on the current device; returns what its launch did.
[[nodiscard]] cudaError_t launch_copy(std::byte* target, const std::byte* source, std::size_t bytes,
                                      cudaStream_t stream);

/// Holds two streams of two devices back until open(), or for a fifth of a second: what is enqueued after it may block
/// the host until it runs.
class OpenAtOnce {
 public:
  OpenAtOnce(int first_device, cudaStream_t first, int second_device, cudaStream_t second);
  /// Waits for the two devices, because they read the word.
  ~OpenAtOnce();
  OpenAtOnce(const OpenAtOnce&) = delete;
  OpenAtOnce& operator=(const OpenAtOnce&) = delete;
  void open();

 private:
  std::uint64_t* word_ = nullptr;
  cudaStream_t streams_[2];
};

}  // namespace halocline::machine::measuring::cuda

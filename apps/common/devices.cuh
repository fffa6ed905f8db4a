// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "common/launch.cuh"
#include "device/backend.hpp"

namespace apps::cuda {

[[nodiscard]] inline cudaStream_t native(const halocline::device::Stream& stream) {
  return static_cast<cudaStream_t>(stream.native());
}

/// What launches have to know of a backend's devices.
class Devices {
 public:
  explicit Devices(const halocline::device::Backend& backend) {
    for (int device = 0; device < backend.device_count(); ++device) {
      ordinals_.push_back(backend.info(device).native_ordinal);
      const OnDevice on(ordinals_.back());
      multiprocessors_.push_back(multiprocessors_of(ordinals_.back()));
      cache_bytes_.push_back(cache_bytes_of(ordinals_.back()));
    }
  }

  /// On all devices: a kernel that is loaded at its first launch may have to wait for what runs, such as an exchange.
  /// Returns the oldest version of PTX that the devices run any of them from (80 for compute_80).
  int load(std::initializer_list<const void*> kernels) const {
    int oldest = std::numeric_limits<int>::max();
    for (const int ordinal : ordinals_) {
      const OnDevice on(ordinal);
      for (const void* kernel : kernels) {
        cudaFuncAttributes attributes{};
        check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
        oldest = std::min(oldest, attributes.ptxVersion);
      }
    }
    return oldest;
  }

  /// CUDA's, in the order of the backend's.
  [[nodiscard]] const std::vector<int>& ordinals() const { return ordinals_; }
  /// CUDA's, of a stream's device.
  [[nodiscard]] int ordinal(const halocline::device::Stream& stream) const { return ordinals_[index(stream)]; }
  [[nodiscard]] int multiprocessors(const halocline::device::Stream& stream) const {
    return multiprocessors_[index(stream)];
  }
  /// Of the L2 cache.
  [[nodiscard]] std::int64_t cache_bytes(const halocline::device::Stream& stream) const {
    return cache_bytes_[index(stream)];
  }

 private:
  static std::size_t index(const halocline::device::Stream& stream) {
    return static_cast<std::size_t>(stream.device());
  }

  std::vector<int> ordinals_;
  std::vector<int> multiprocessors_;
  std::vector<std::int64_t> cache_bytes_;
};

}  // namespace apps::cuda

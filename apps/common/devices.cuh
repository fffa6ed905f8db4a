// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
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
  void load(std::initializer_list<const void*> kernels) const {
    for (const int ordinal : ordinals_) {
      const OnDevice on(ordinal);
      for (const void* kernel : kernels) {
        cudaFuncAttributes attributes{};
        check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
      }
    }
  }

  /// Loads kernels that wait for the end of the kernel before them: whether they may start before it, as the code that the devices run
  /// was compiled for compute capability 9.0 or newer.
  [[nodiscard]] bool may_start_early(std::initializer_list<const void*> kernels) const {
    bool may = true;
    for (const int ordinal : ordinals_) {
      const OnDevice on(ordinal);
      for (const void* kernel : kernels) {
        cudaFuncAttributes attributes{};
        check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
        may = may && attributes.ptxVersion >= 90;
      }
    }
    return may;
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

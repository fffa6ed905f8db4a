// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/cuda/device.hpp"
#include "device/detail/failure.hpp"

namespace halocline::device::cuda {

/// What failed on the devices of a backend, and the names that failures have. Thread-safe.
class Failures {
 public:
  /// The devices must outlive this.
  explicit Failures(std::span<const std::unique_ptr<Device>> devices);

  /// The number by which kernels know a name; the same name has the same number.
  [[nodiscard]] std::uint32_t label(const std::string& name);

  /// No call of CUDA: for functions that CUDA calls.
  [[nodiscard]] bool any() const;
  void report(int device, FailurePtr failure);

  /// What streams of a device fail with: its own failure, else the first that was seen on any. Null where there is
  /// none. Stops all devices where there is one.
  [[nodiscard]] FailurePtr of(int device);
  /// Tells all devices' kernels to stop; at the end of a backend, too.
  void stop_all();

 private:
  [[nodiscard]] FailurePtr describe(const FailureRecord& record) const;

  std::span<const std::unique_ptr<Device>> devices_;
  std::atomic<bool> reported_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::deque<std::string> names_;
  std::vector<FailurePtr> failures_;  ///< by device
  FailurePtr first_;
  bool stopped_ = false;
};

}  // namespace halocline::device::cuda

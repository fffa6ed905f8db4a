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

/// The failures on the devices of a backend, and the names that they refer to. Thread-safe.
class Failures {
 public:
  /// The devices must outlive this.
  explicit Failures(std::span<const std::unique_ptr<Device>> devices);

  /// The number that kernels use for a name; the same name has the same number.
  [[nodiscard]] std::uint32_t label(const std::string& name);

  /// Call no CUDA function, so that host functions that CUDA runs may call these two.
  [[nodiscard]] bool any() const;
  void report(int device, FailurePtr failure);

  /// The failure that streams of a device throw: the device's own, else the first that was seen on any device. Null if
  /// there is none. If there is one, stops all devices.
  [[nodiscard]] FailurePtr of(int device);
  /// Stops the kernels of all devices; also called at the end of a backend.
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

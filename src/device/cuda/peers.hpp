// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "device/cuda/device.hpp"

namespace halocline::device::cuda {

/// Which device can access which other device's memory. Each pair is queried once, and peer access enabled if it is
/// allowed. Thread-safe.
class Peers {
 public:
  using Allowed = std::function<bool(int from, int to)>;
  /// The devices must outlive this. `allowed` takes numbers of devices in the backend; empty: always allowed.
  Peers(std::span<const std::unique_ptr<Device>> devices, Allowed allowed)
      : devices_(devices), allowed_(std::move(allowed)) {}

  /// Between devices of the backend.
  [[nodiscard]] Verdict access(int from, int to);
  /// From a device of the backend to any that this process sees.
  [[nodiscard]] Verdict access_to_ordinal(int from, int cuda_ordinal);
  /// Whether the hardware and the option allow access, without enabling it. Mapping memory of another process needs no
  /// more than that, and enabling access would start this process's work on the other device, which takes a second of
  /// all processes' time.
  [[nodiscard]] Verdict possible(int from, int cuda_ordinal) const;
  /// Whether failing kernels of `from` stop `to` themselves. Queries nothing.
  [[nodiscard]] bool stops(int from, int to) const;

 private:
  [[nodiscard]] Verdict ask(int from, int cuda_ordinal);

  std::span<const std::unique_ptr<Device>> devices_;
  Allowed allowed_;
  mutable std::mutex mutex_;
  std::map<std::pair<int, int>, Verdict> known_;  ///< device of the backend, CUDA ordinal
};

}  // namespace halocline::device::cuda

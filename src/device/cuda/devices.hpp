// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "device/cuda/device.hpp"
#include "device/cuda/failures.hpp"
#include "device/cuda/memory_export.hpp"
#include "device/cuda/peers.hpp"
#include "device/cuda/stream_work.hpp"
#include "device/cuda_backend.hpp"

namespace halocline::device::cuda {

/// Captures that streams of a backend began. Thread-safe.
class Captures {
 public:
  void begin(std::uint64_t id);
  void end(std::uint64_t id);
  [[nodiscard]] bool under_way(std::uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::uint64_t> ids_;
};

/// What the backend shares with the objects that it made, which may outlive it.
class Devices {
 public:
  explicit Devices(const CudaOptions& options);
  /// Stops kernels that wait. If streams were destroyed while they held work, waits a moment for that work.
  ~Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(reported_->devices.size()); }
  /// Throws InvalidArgument if there is no such device.
  [[nodiscard]] Device& at(int device) const;
  [[nodiscard]] Failures& failures() { return reported_->failures; }
  [[nodiscard]] Peers& peers() { return peers_; }
  [[nodiscard]] Exports& exports() { return exports_; }
  [[nodiscard]] Captures& captures() { return captures_; }
  [[nodiscard]] StreamWork& work() { return reported_->work; }

 private:
  /// What work in streams reports to, possibly after the backend is destroyed. One object, so that the destructor can
  /// leak it without allocating.
  struct Reported {
    explicit Reported(std::vector<std::unique_ptr<Device>> of) : devices(std::move(of)) {}
    std::vector<std::unique_ptr<Device>> devices;
    Failures failures{devices};
    StreamWork work{devices};
  };

  std::unique_ptr<Reported> reported_;
  Peers peers_;
  Exports exports_;
  Captures captures_;
};

}  // namespace halocline::device::cuda

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "device/cuda/device.hpp"
#include "device/cuda/failures.hpp"
#include "device/cuda/peers.hpp"
#include "halocline/device/cuda.hpp"

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

/// What the backend shares with all that it made, which may outlive it.
class Devices {
 public:
  explicit Devices(const CudaOptions& options);
  /// Stops kernels that wait. Where streams were destroyed with work in them, waits a moment for it.
  ~Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(all_.size()); }
  /// Throws InvalidArgument where there is no such device.
  [[nodiscard]] Device& at(int device) const;
  [[nodiscard]] Failures& failures() { return *failures_; }
  [[nodiscard]] Peers& peers() { return peers_; }
  [[nodiscard]] Captures& captures() { return captures_; }
  /// The work of a stream that is destroyed may still report failures: what it reports to stays until the event.
  void keep_until(int device, cudaEvent_t event);

 private:
  [[nodiscard]] bool drained();

  std::vector<std::unique_ptr<Device>> all_;
  std::unique_ptr<Failures> failures_;
  Peers peers_;
  Captures captures_;
  std::mutex mutex_;
  std::vector<std::pair<int, cudaEvent_t>> leaving_;
};

}  // namespace halocline::device::cuda

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cuda/device.hpp"

namespace halocline::device::cuda {

/// The streams of a backend, and the memory that must stay until their work is done: tables that kernels read, and the
/// objects to which work of destroyed streams reports failures. Thread-safe; nothing blocks.
class StreamWork {
 public:
  /// The devices must outlive this, or be leaked together with it.
  explicit StreamWork(std::span<const std::unique_ptr<Device>> devices) : devices_(devices) {}
  StreamWork(const StreamWork&) = delete;
  StreamWork& operator=(const StreamWork&) = delete;

  void add(int device, cudaStream_t stream);
  /// The stream is about to be destroyed, or given back to its owner. Its device is current.
  void remove(int device, cudaStream_t stream);

  /// Frees tables after all work that the device's streams hold. A stream that is being captured cannot be queried for
  /// its work; in that case the tables stay until end().
  void free_behind(int device, void* tables);

  /// To be called when all streams have been destroyed.
  void end();
  /// Whether nothing has to stay any longer.
  [[nodiscard]] bool done();

 private:
  struct Waiting {
    int device = 0;
    std::vector<cudaEvent_t> events{};
    void* tables = nullptr;  ///< to be freed after the events; null: only wait for the events
    bool until_end = false;
    bool over = false;
  };
  struct Stream {
    int device = 0;
    cudaStream_t handle = nullptr;
  };

  [[nodiscard]] Device& at(int device) const { return *devices_[static_cast<std::size_t>(device)]; }
  void note(Waiting& waiting, cudaStream_t stream) const;
  void free(int device, void* tables) const;
  /// Removes entries whose work is done. The mutex must be held.
  void sweep();

  std::span<const std::unique_ptr<Device>> devices_;
  std::mutex mutex_;
  std::vector<Stream> streams_;  ///< contains a handle as often as it was added
  std::vector<Waiting> waiting_;
  bool ended_ = false;
};

}  // namespace halocline::device::cuda

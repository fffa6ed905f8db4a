// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cuda/device.hpp"

namespace halocline::device::cuda {

/// The streams of a backend, and the memory that must stay until their work is done: tables that kernels read, and the
/// objects to which work of destroyed streams reports failures. Thread-safe; nothing blocks, and what frees allocates nothing.
class StreamWork {
  struct Waiting {
    int device = 0;
    std::vector<cudaEvent_t> events{};
    void* tables = nullptr;  ///< to be freed after the events; null: only wait for the events
    bool until_end = false;
    bool over = false;

    /// Waits for the work in the stream, too. Without memory for that, until end().
    void add(cudaStream_t stream) noexcept;
  };

 public:
  /// Of a std::unique_ptr to tables: frees them after all work that the device's streams hold by then, or may have held when they were
  /// destroyed. A stream that is being captured cannot be queried for its work; in that case the tables stay until end().
  class FreeBehind {
   public:
    FreeBehind() = default;
    FreeBehind(StreamWork& work, int device);
    /// Any device may be current.
    void operator()(void* tables) noexcept { work_->free_behind(entry_, tables); }

   private:
    StreamWork* work_ = nullptr;
    std::list<Waiting> entry_;  ///< of one
  };

  /// The devices must outlive this, or be leaked together with it.
  explicit StreamWork(std::span<const std::unique_ptr<Device>> devices) : devices_(devices) {}
  StreamWork(const StreamWork&) = delete;
  StreamWork& operator=(const StreamWork&) = delete;

  void add(int device, cudaStream_t stream);
  /// The stream is about to be destroyed, or given back to its owner. Its device is current.
  void remove(int device, cudaStream_t stream) noexcept;

  /// To be called when all streams have been destroyed.
  void end();
  /// Whether nothing has to stay any longer.
  [[nodiscard]] bool done();

 private:
  struct Stream {
    cudaStream_t handle = nullptr;
    std::list<Waiting> entry;  ///< of one, for its work when it is removed
    [[nodiscard]] int device() const { return entry.front().device; }
  };

  [[nodiscard]] Device& at(int device) const { return *devices_[static_cast<std::size_t>(device)]; }
  void free_behind(std::list<Waiting>& entry, void* tables) noexcept;
  void free(int device, void* tables) const noexcept;
  /// Removes entries whose work is done. The mutex must be held.
  void sweep() noexcept;

  std::span<const std::unique_ptr<Device>> devices_;
  std::mutex mutex_;
  std::vector<Stream>
      streams_;  ///< contains a handle as often as it was added: cudaStreamPerThread is the same on each device
  std::list<Waiting> waiting_;
  bool ended_ = false;
};

}  // namespace halocline::device::cuda

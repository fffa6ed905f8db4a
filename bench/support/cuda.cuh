// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// CUDA's runtime with destructors and exceptions, for the benchmarks' own kernels and for code written as people write
// it without Halocline.
#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "halocline/error.hpp"

namespace halocline::bench {

/// Throws DeviceError with the call and CUDA's own words.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}
/// The error of a launch before it.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

inline void use_device(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

[[nodiscard]] inline int gpu_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return count;
}

/// Owns one thing of CUDA's that is made from nothing and destroyed by one call.
template <typename Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) (void)destroy(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_{};
};

using OwnedStream = Owned<cudaStream_t, cudaStreamDestroy>;
using OwnedEvent = Owned<cudaEvent_t, cudaEventDestroy>;
using OwnedGraph = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;
using OwnedMemory = Owned<void*, cudaFree>;
using OwnedPinned = Owned<void*, cudaFreeHost>;

[[nodiscard]] inline OwnedStream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return OwnedStream(stream);
}
[[nodiscard]] inline OwnedEvent make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  return OwnedEvent(event);
}
/// Of the current device, zero-filled.
[[nodiscard]] inline OwnedMemory make_memory(std::size_t bytes) {
  void* memory = nullptr;
  const std::string what = "cudaMalloc of " + std::to_string(bytes) + " bytes";
  check(cudaMalloc(&memory, bytes), what.c_str());
  OwnedMemory owned(memory);
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return owned;
}
[[nodiscard]] inline OwnedPinned make_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  return OwnedPinned(memory);
}
/// What was enqueued between begin_capture on the stream and this call, ready to launch.
[[nodiscard]] inline OwnedGraph end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  (void)cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiate");
  return OwnedGraph(executable);
}

/// Lets the device load and store the peer's memory. Throws CapabilityError where it cannot.
inline void enable_peer(int device, int peer) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "cudaDeviceCanAccessPeer");
  if (can == 0) {
    throw CapabilityError("GPU " + std::to_string(device) + " cannot access the memory of GPU " + std::to_string(peer));
  }
  use_device(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return;
  }
  check(status, "cudaDeviceEnablePeerAccess");
}

}  // namespace halocline::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/host_call.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

namespace halocline::device::cuda {
namespace {

/// What CUDA's thread runs. The function must not call CUDA. `failures` exists until the streams' work is done.
struct HostCall {
  Failures* failures;
  int device;
  std::function<void()> function;

  void run() const noexcept {
    if (failures->any()) return;
    try {
      function();
    } catch (...) {
      failures->report(device, failure_of(std::current_exception(), fmt::format("a host function of GPU {}", device)));
    }
  }
};

void run(void* call) { static_cast<const HostCall*>(call)->run(); }

void run_once(void* call) {
  const std::unique_ptr<const HostCall> owned(static_cast<const HostCall*>(call));
  owned->run();
}

void destroy(void* call) { delete static_cast<const HostCall*>(call); }

}  // namespace

void launch_host_call(cudaStream_t stream, Failures& failures, int device, std::function<void()> function) {
  auto call = std::make_unique<HostCall>(HostCall{&failures, device, std::move(function)});
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  check(cudaStreamGetCaptureInfo(stream, &status, &id, &graph), "cudaStreamGetCaptureInfo");
  if (status == cudaStreamCaptureStatusNone) {
    check(cudaLaunchHostFunc(stream, run_once, call.get()), "cudaLaunchHostFunc");
    (void)call.release();
    return;
  }
  // The graph, and everything instantiated from it, owns the function.
  cudaUserObject_t object = nullptr;
  check(cudaUserObjectCreate(&object, call.get(), destroy, 1, cudaUserObjectNoDestructorSync), "cudaUserObjectCreate");
  void* argument = call.release();
  check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), "cudaGraphRetainUserObject");
  check(cudaLaunchHostFunc(stream, run, argument), "cudaLaunchHostFunc");
}

}  // namespace halocline::device::cuda

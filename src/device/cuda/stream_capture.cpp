// SPDX-License-Identifier: BSD-3-Clause
// The part of a stream's work that concerns captures, and what may be launched early in one.
#include <fmt/format.h>

#include "device/cuda/graph.hpp"
#include "device/cuda/stream.hpp"

namespace halocline::device::cuda {
namespace {

bool is_kernel(cudaGraphNode_t node) {
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
  return type == cudaGraphNodeTypeKernel;
}

/// The nodes that a stream's next operation would follow in its capture. In CUDA 12 the function that returns edge data
/// has another name, which is used only if this one does not take edges.
template <typename Stream>
cudaError_t capture_info(Stream stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                         const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges, std::size_t* count) {
  if constexpr (requires { cudaStreamGetCaptureInfo(stream, status, id, nullptr, nodes, edges, count); }) {
    return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nodes, edges, count);
  } else {
    return cudaStreamGetCaptureInfo_v3(stream, status, id, nullptr, nodes, edges, count);
  }
}

}  // namespace

std::optional<CudaStream::Capture> CudaStream::capture() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;  // must be requested: otherwise the call fails if there are early starts
  std::size_t count = 0;
  const CurrentDevice now = current();
  check(capture_info(handle_, &status, &id, &nodes, &edges, &count), "cudaStreamGetCaptureInfo");
  if (status == cudaStreamCaptureStatusNone) return std::nullopt;
  return Capture{id, status == cudaStreamCaptureStatusActive && count == 1 ? nodes[0] : nullptr};
}

bool CudaStream::capturing() const { return capture().has_value(); }

void CudaStream::refuse_capture(const char* what) const {
  if (capture()) throw InternalError(fmt::format("{}: the stream is being captured", what));
}

bool CudaStream::may_start_early(const std::optional<Capture>& capture) const {
  if (!on().starts_early()) return false;
  if (!capture) return true;
  // In a graph an early start is a kind of edge, from one kernel to another on the same device. A node that the stream
  // joined by an event may be on another device, and the nodes that the stream waits for in the caller's own capture
  // are not known here.
  if (capture->before == nullptr) return false;
  if (capture == last_run_) return true;
  return devices_->captures().under_way(capture->id) && capture != joined_ && is_kernel(capture->before);
}

void CudaStream::begin_capture() {
  refuse_capture("begin_capture");
  raise_failure();
  const CurrentDevice now = current();
  // Relaxed: the user decides what the calling thread does meanwhile, and Halocline queries events.
  check(cudaStreamBeginCapture(handle_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  const std::optional<Capture> capture_now = capture();
  if (!capture_now) return;
  began_ = capture_now->id;
  devices_->captures().begin(*began_);
}

std::unique_ptr<Graph> CudaStream::end_capture() {
  const std::optional<Capture> now_in = capture();
  if (!now_in) throw InternalError("end_capture: the stream is not being captured");
  if (!began_ || began_ != now_in->id) {
    throw InternalError("end_capture: the stream joined a capture that another stream began");
  }
  const CurrentDevice now = current();
  devices_->captures().end(*began_);
  began_.reset();
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(handle_, &graph);
  if (status == cudaErrorStreamCaptureUnjoined) {
    (void)cudaGetLastError();
    throw InternalError(
        fmt::format("end_capture: a stream was not joined: the stream that began the capture does not wait "
                    "for all of its operations: {}",
                    describe(status)));
  }
  check(status, "end_capture");
  return std::make_unique<CudaGraph>(devices_, device_, graph);
}

}  // namespace halocline::device::cuda

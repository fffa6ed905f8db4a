// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/stream_work.hpp"

#include <algorithm>
#include <set>

namespace halocline::device::cuda {
namespace {

bool is_pending(cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  (void)cudaGetLastError();
  return status == cudaErrorNotReady || status == cudaErrorCapturedEvent;
}

}  // namespace

void StreamWork::add(int device, cudaStream_t stream) {
  const std::lock_guard held(mutex_);
  streams_.push_back({device, stream});
}

void StreamWork::remove(int device, cudaStream_t stream) {
  const std::lock_guard held(mutex_);
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const Stream& s) { return s.handle == stream; });
  if (found != streams_.end()) streams_.erase(found);
  sweep();
  Waiting waiting{.device = device};
  note(waiting, stream);
  if (!waiting.events.empty()) waiting_.push_back(std::move(waiting));
}

void StreamWork::free_behind(int device, void* tables) {
  const std::lock_guard held(mutex_);
  const CurrentDevice current(at(device).context(), std::nothrow);
  const CaptureAside aside;
  Waiting waiting{.device = device, .tables = tables};
  for (const Stream& stream : streams_) {
    if (stream.device == device) note(waiting, stream.handle);
  }
  waiting_.push_back(std::move(waiting));
  sweep();
}

void StreamWork::end() {
  const std::lock_guard held(mutex_);
  ended_ = true;
}

bool StreamWork::done() {
  const std::lock_guard held(mutex_);
  sweep();
  return waiting_.empty();
}

/// Adds an event after the work in the stream, if there is any.
void StreamWork::note(Waiting& waiting, cudaStream_t stream) const {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(stream, &capture);
  if (capture != cudaStreamCaptureStatusNone) {
    waiting.until_end = true;
    return;
  }
  const cudaError_t status = cudaStreamQuery(stream);
  (void)cudaGetLastError();
  if (status != cudaErrorNotReady) return;
  cudaEvent_t event = nullptr;
  cudaError_t made = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (made == cudaSuccess) made = cudaEventRecord(event, stream);
  log_failure(made, "cudaEventRecord");
  if (made != cudaSuccess) waiting.until_end = true;
  if (event != nullptr) waiting.events.push_back(event);
}

void StreamWork::free(int device, void* tables) const { at(device).tables().free(tables, at(device).aside()); }

void StreamWork::sweep() {
  // Streams that were destroyed earlier may hold work that reads the tables, so tables also wait for earlier entries.
  std::set<int> busy;
  for (Waiting& waiting : waiting_) {
    const CurrentDevice current(at(waiting.device).context(), std::nothrow);
    const CaptureAside aside;
    for (cudaEvent_t& event : waiting.events) {
      if (is_pending(event)) continue;
      log_failure(cudaEventDestroy(event), "cudaEventDestroy");
      event = nullptr;
    }
    std::erase(waiting.events, nullptr);
    waiting.over = waiting.events.empty() && (ended_ || !waiting.until_end) &&
                   (waiting.tables == nullptr || !busy.contains(waiting.device));
    if (!waiting.over) {
      busy.insert(waiting.device);
    } else if (waiting.tables != nullptr) {
      free(waiting.device, waiting.tables);
    }
  }
  std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.over; });
}

}  // namespace halocline::device::cuda

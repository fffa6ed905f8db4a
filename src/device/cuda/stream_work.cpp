// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/stream_work.hpp"

#include <algorithm>
#include <bitset>
#include <new>

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
  streams_.push_back({stream, std::list<Waiting>(1, {.device = device})});
}

void StreamWork::remove(int device, cudaStream_t stream) noexcept {
  const std::lock_guard held(mutex_);
  sweep();
  const auto found =
      std::ranges::find_if(streams_, [&](const Stream& s) { return s.handle == stream && s.device() == device; });
  if (found == streams_.end()) return;
  Waiting& waiting = found->entry.front();
  waiting.add(stream);
  if (!waiting.events.empty() || waiting.until_end) waiting_.splice(waiting_.end(), found->entry);
  streams_.erase(found);
}

StreamWork::FreeBehind::FreeBehind(StreamWork& work, int device) : work_(&work), entry_(1, {.device = device}) {}

void StreamWork::free_behind(std::list<Waiting>& entry, void* tables) noexcept {
  const std::lock_guard held(mutex_);
  Waiting& waiting = entry.front();
  waiting.tables = tables;
  const CurrentDevice current(at(waiting.device).context(), std::nothrow);
  const CaptureAside aside;
  for (const Stream& stream : streams_) {
    if (stream.device() == waiting.device) waiting.add(stream.handle);
  }
  waiting_.splice(waiting_.end(), entry);
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

void StreamWork::Waiting::add(cudaStream_t stream) noexcept {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(stream, &capture);
  if (capture != cudaStreamCaptureStatusNone) {
    until_end = true;
    return;
  }
  const cudaError_t status = cudaStreamQuery(stream);
  (void)cudaGetLastError();
  if (status != cudaErrorNotReady) return;
  cudaEvent_t event = nullptr;
  cudaError_t made = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (made == cudaSuccess) made = cudaEventRecord(event, stream);
  log_failure(made, "cudaEventRecord");
  if (made != cudaSuccess) until_end = true;
  if (event == nullptr) return;
  try {
    events.push_back(event);
  } catch (const std::bad_alloc&) {
    until_end = true;
    log_failure(cudaEventDestroy(event), "cudaEventDestroy");
  }
}

void StreamWork::free(int device, void* tables) const noexcept { at(device).tables().free(tables, at(device).aside()); }

void StreamWork::sweep() noexcept {
  // Streams that were destroyed earlier may hold work that reads the tables, so tables also wait for earlier entries.
  std::bitset<most_devices> busy;
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
                   (waiting.tables == nullptr || !busy[static_cast<std::size_t>(waiting.device)]);
    if (!waiting.over) {
      busy.set(static_cast<std::size_t>(waiting.device));
    } else if (waiting.tables != nullptr) {
      free(waiting.device, waiting.tables);
    }
  }
  waiting_.remove_if([](const Waiting& waiting) { return waiting.over; });
}

}  // namespace halocline::device::cuda

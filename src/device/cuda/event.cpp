// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "device/cuda/own.hpp"
#include "device/cuda/stream.hpp"
#include "halocline/error.hpp"

namespace halocline::device::cuda {

CudaEvent::CudaEvent(std::shared_ptr<Devices> devices, int device, Timing timing)
    : devices_(std::move(devices)), device_(device), timing_(timing) {
  const CurrentDevice current(devices_->at(device).context());
  check(cudaEventCreateWithFlags(&event_, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
}

CudaEvent::~CudaEvent() {
  const CurrentDevice current(devices_->at(device_).context(), std::nothrow);
  log_failure(cudaEventDestroy(event_), "cudaEventDestroy");
}

bool CudaEvent::reached() const {
  const CurrentDevice current(devices_->at(device_).context());
  const CaptureAside aside;
  return is_done(cudaEventQuery(event_), "cudaEventQuery");
}

bool CudaEvent::query() const {
  if (!recorded_) return true;
  if (capture_) throw InternalError("query: the event was last recorded in a capture");
  const bool done = reached();
  // Read after the query above: a failure is published before the failed work counts as done.
  if (const FailurePtr failure = devices_->failures().of(device_)) raise(*failure);
  return done;
}

Duration CudaEvent::since(const Event& earlier) const {
  const CudaEvent& other = own<const CudaEvent>(earlier, devices_.get(), "event");
  for (const CudaEvent* event : {&other, this}) {
    if (event->timing_ == Timing::off) throw InvalidArgument("since: the event was made without timing");
    if (!event->recorded_ || event->capture_ || !event->query()) {
      throw InvalidArgument("since: the event's mark was not reached yet");
    }
  }
  if (device_ != other.device_) {
    throw InvalidArgument(
        fmt::format("since: the events belong to devices {} and {}; allowed is one device", other.device_, device_));
  }
  const CurrentDevice current(devices_->at(device_).context());
  const CaptureAside aside;
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, other.event_, event_), "cudaEventElapsedTime");
  return Duration(std::llround(1e6 * double{milliseconds}));
}

}  // namespace halocline::device::cuda

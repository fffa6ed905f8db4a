// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi3d/stopwatch.hpp"

#include "device/backend.hpp"

namespace jacobi3d {

void Stopwatch::mark(std::optional<Part> part) {
  std::unique_ptr<halocline::device::Event> event;
  if (spare_.empty()) {
    event = backend_->create_event(stream_->device(), halocline::device::Timing::on);
  } else {
    event = std::move(spare_.back());
    spare_.pop_back();
  }
  stream_->record(*event);
  marks_.push_back({std::move(event), part});
}

void Stopwatch::collect() {
  while (marks_.size() > (first_collected_ ? 1 : 0)) {
    const Mark& next = marks_[first_collected_ ? 1 : 0];
    if (!next.event->query()) return;
    if (!first_collected_) {
      first_collected_ = true;
      continue;
    }
    if (next.part) {
      (*next.part == Part::compute ? compute_ : exchange_) += next.event->since(*marks_.front().event);
    }
    spare_.push_back(std::move(marks_.front().event));
    marks_.pop_front();
  }
}

}  // namespace jacobi3d

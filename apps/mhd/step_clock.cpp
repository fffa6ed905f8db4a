// SPDX-License-Identifier: BSD-3-Clause
#include "mhd/step_clock.hpp"
#include "device/backend.hpp"
#include "domain/internals.hpp"

#include <algorithm>

namespace mhd {

void StepClock::mark(bool ends_step) {
  const auto subdomains = domain_.subdomains();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    Event event;
    if (stream.spare.empty()) {
      event = internals(domain_).backend().create_event(subdomains[i].device(), halocline::device::Timing::on);
    } else {
      event = std::move(stream.spare.back());
      stream.spare.pop_back();
    }
    stream_of(subdomains[i]).record(*event);
    stream.marks.push_back({std::move(event), ends_step});
  }
}

void StepClock::collect() {
  for (Stream& stream : streams_) {
    while (stream.marks.size() > 1 && stream.marks[1].event->query()) {
      if (stream.marks[1].ends_step) {
        const auto took = stream.marks[1].event->since(*stream.marks[0].event);
        stream.seconds.push_back(std::chrono::duration<double>(took).count());
      }
      stream.spare.push_back(std::move(stream.marks.front().event));
      stream.marks.pop_front();
    }
  }
}

std::vector<double> StepClock::ends() const {
  std::vector<double> last;
  for (const Stream& stream : streams_) {
    last.resize(stream.seconds.size());
    double end = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
      end += stream.seconds[i];
      last[i] = std::max(last[i], end);
    }
  }
  return last;
}

}  // namespace mhd

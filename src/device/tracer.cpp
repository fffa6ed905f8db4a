// SPDX-License-Identifier: BSD-3-Clause
#include "device/tracer.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "halocline/error.hpp"

namespace halocline::device {
namespace {

/// The best of several comparisons of two clocks counts.
constexpr int comparisons = 16;

}  // namespace

std::string_view to_string(Work work) {
  switch (work) {
    case Work::exchange: return "exchange";
    case Work::copy: return "copy";
    case Work::pack: return "pack";
    case Work::put: return "put";
    case Work::unpack: return "unpack";
    case Work::post_ready: return "post ready";
    case Work::post_arrived: return "post arrived";
    case Work::wait_ready: return "wait ready";
    case Work::wait_arrived: return "wait arrived";
    case Work::wait_sent: return "wait sent";
    case Work::send: return "MPI send";
    case Work::receive: return "MPI receive";
    case Work::all_cells: return "all cells";
    case Work::interior: return "interior";
    case Work::boundary: return "boundary";
  }
  throw InternalError("a Work without a name");
}

std::size_t Tracer::add(TracedOperation operation) {
  operations_.push_back(std::move(operation));
  return operations_.size() - 1;
}

/// The host reads its clock between two marks of the device, which bound the moment in the device's time.
Tracer::Anchor Tracer::anchor_of(int device) const {
  const std::unique_ptr<Stream> stream = backend_->create_stream(device);
  Anchor best;
  for (int i = 0; i < comparisons; ++i) {
    Anchor anchor{backend_->create_event(device, Timing::on)};
    const std::unique_ptr<Event> after = backend_->create_event(device, Timing::on);
    stream->record(*anchor.event);
    stream->host_function([&anchor] { anchor.time = now(); });
    stream->record(*after);
    stream->synchronize();
    anchor.uncertainty = after->since(*anchor.event) / 2;
    anchor.time -= anchor.uncertainty;
    if (!best.event || anchor.uncertainty < best.uncertainty) best = std::move(anchor);
  }
  return best;
}

void Tracer::start() {
  anchors_.clear();
  for (int device = 0; device < backend_->device_count(); ++device) anchors_.push_back(anchor_of(device));
  marks_.clear();
  host_runs_.clear();
  for (const auto& [device, record] : records_) static_cast<void>(record->take());
  on_ = true;
}

void Tracer::begin(std::size_t operation, Stream& stream) {
  const int device = stream.device();
  marks_.push_back({operation, step_, device, backend_->create_event(device, Timing::on),
                    backend_->create_event(device, Timing::on)});
  open_.emplace_back(&stream, marks_.size() - 1);
  stream.record(*marks_.back().begin);
}

void Tracer::end(Stream& stream) {
  const auto [of, mark] = open_.back();
  if (of != &stream) throw InternalError("a traced operation ends in another stream than it began in");
  open_.pop_back();
  stream.record(*marks_[mark].end);
}

void Tracer::ran(std::size_t operation, Duration begin, Duration end) {
  if (on_) host_runs_.push_back({operation, step_, begin, end});
}

/// The difference between a device's own clock and the host's lies where every run begins after, and ends before, the operation
/// that contains it: more runs bound it better. The middle is taken.
void Tracer::add_records(Trace& trace, const std::vector<TracedRun>& marked) {
  std::map<int, std::vector<DeviceRecord::Run>> by_device;
  for (const auto& [device, record] : records_) {
    const std::vector<DeviceRecord::Run> runs = record->take();
    by_device[device].insert(by_device[device].end(), runs.begin(), runs.end());
  }
  for (const auto& [device, runs] : by_device) {
    if (runs.empty()) continue;
    Duration least = Duration::min();
    Duration most = Duration::max();
    for (const DeviceRecord::Run& run : runs) {
      const TracedRun& within = marked.at(run.within);
      least = std::max(least, within.begin - run.begin);
      most = std::min(most, within.end - run.end);
    }
    const Duration difference = least + (most - least) / 2;
    for (const DeviceRecord::Run& run : runs) {
      trace.runs.push_back({run.operation, marked[run.within].step, run.begin + difference, run.end + difference});
    }
    trace.alignment[static_cast<std::size_t>(device)] += std::chrono::abs(most - least) / 2;
  }
}

Trace Tracer::take() {
  Trace trace{operations_, std::exchange(host_runs_, {}), {}};
  for (const Anchor& anchor : anchors_) trace.alignment.push_back(anchor.uncertainty);
  std::vector<TracedRun> marked;
  for (const Marks& marks : std::exchange(marks_, {})) {
    const Anchor& anchor = anchors_[static_cast<std::size_t>(marks.device)];
    marked.push_back({marks.operation, marks.step, anchor.time + marks.begin->since(*anchor.event),
                      anchor.time + marks.end->since(*anchor.event)});
  }
  add_records(trace, marked);
  trace.runs.insert(trace.runs.end(), marked.begin(), marked.end());
  std::ranges::stable_sort(trace.runs, {}, &TracedRun::begin);
  return trace;
}

}  // namespace halocline::device

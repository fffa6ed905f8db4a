// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/capture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halocline::device::host {
namespace {

/// For each lane, how many of its operations the end of the origin waits for.
std::vector<std::size_t> joined(const Capture& capture) {
  std::vector<std::size_t> reached(capture.lanes.size(), 0);
  std::vector<std::size_t> looked_at(capture.lanes.size(), 0);
  reached[0] = capture.lanes[0].items.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t lane = 0; lane < reached.size(); ++lane) {
      for (; looked_at[lane] < reached[lane]; ++looked_at[lane]) {
        const auto* wait = std::get_if<AwaitMark>(&capture.lanes[lane].items[looked_at[lane]].step);
        if (wait == nullptr) continue;
        const auto [from, position] = capture.marks[wait->mark->index];
        reached[from] = std::max(reached[from], position + 1);
        changed = true;
      }
    }
  }
  return reached;
}

/// A record that no stream waits for is not work; everything else is.
std::size_t operations(const Lane& lane) {
  std::size_t count = lane.items.size();
  while (count > 0 && std::holds_alternative<Record>(lane.items[count - 1].step)) --count;
  return count;
}

}  // namespace

void begin_capture(Queue& queue) {
  refuse_capture(queue, "begin_capture");
  auto capture = std::make_shared<Capture>();
  capture->queues.push_back(&queue);
  capture->lanes.push_back({queue.device, queue.priority, {}});
  queue.capture = std::move(capture);
  queue.lane = 0;
}

std::vector<Lane> end_capture(Queue& queue, std::size_t& marks) {
  const std::shared_ptr<Capture> capture = queue.capture;
  if (capture == nullptr) throw InternalError("end_capture: the stream is not being captured");
  if (queue.lane != 0) throw InternalError("end_capture: the stream joined a capture that another stream began");
  const bool broken = std::count(capture->queues.begin(), capture->queues.end(), nullptr) != 0;
  for (Queue* member : capture->queues) {
    if (member != nullptr) member->capture.reset();
  }
  if (broken) throw InternalError("end_capture: a stream of the capture was destroyed");
  const std::vector<std::size_t> reached = joined(*capture);
  for (std::size_t lane = 1; lane < reached.size(); ++lane) {
    if (reached[lane] >= operations(capture->lanes[lane])) continue;
    throw InternalError(
        fmt::format("end_capture: a stream of host device {} was not joined: the stream that began the capture "
                    "waits for {} of its {} operations",
                    capture->lanes[lane].device, reached[lane], operations(capture->lanes[lane])));
  }
  marks = capture->marks.size();
  return std::move(capture->lanes);
}

void leave_capture(Queue& queue) {
  const std::shared_ptr<Capture> capture = queue.capture;
  if (capture == nullptr) return;
  queue.capture.reset();
  capture->queues[queue.lane] = nullptr;
  if (queue.lane != 0) return;
  for (Queue* member : capture->queues) {  // no stream is left that could end it
    if (member != nullptr) member->capture.reset();
  }
}

void capture_item(Queue& queue, Item item) { queue.capture->lanes[queue.lane].items.push_back(std::move(item)); }

MarkPtr capture_record(Queue& queue) {
  Capture& capture = *queue.capture;
  auto mark = std::make_shared<Mark>();
  mark->captured = true;
  mark->capture = queue.capture;
  mark->index = capture.marks.size();
  capture.marks.emplace_back(queue.lane, capture.lanes[queue.lane].items.size());
  capture_item(queue, {Operation::record, Record{mark}, {}});
  return mark;
}

void capture_wait(Queue& queue, const MarkPtr& mark) {
  if (!mark->captured) {
    if (mark->done && mark->failure == nullptr) return;
    throw InternalError(
        "a captured stream cannot wait for an event that was recorded outside the capture and is not complete");
  }
  const std::shared_ptr<Capture> capture = mark->capture.lock();
  if (capture == nullptr) throw InternalError("the event was last recorded in a capture that has ended");
  if (queue.capture != nullptr && queue.capture != capture) {
    throw InternalError("a captured stream cannot wait for an event of another capture");
  }
  if (queue.capture == nullptr) {
    queue.capture = capture;
    queue.lane = capture->lanes.size();
    capture->queues.push_back(&queue);
    capture->lanes.push_back({queue.device, queue.priority, {}});
  }
  capture_item(queue, {Operation::wait_event, AwaitMark{mark}, {}});
}

void refuse_capture(const Queue& queue, const char* what) {
  if (queue.capture != nullptr) throw InternalError(fmt::format("{}: the stream is being captured", what));
}

}  // namespace halocline::device::host

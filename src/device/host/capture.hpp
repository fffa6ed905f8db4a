// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "device/host/queue.hpp"

namespace halocline::device::host {

/// The operations of one captured stream, in order. Its marks are captured ones.
struct Lane {
  int device = 0;
  Priority priority = Priority::normal;
  std::vector<Item> items;
};

/// A capture under way; its queues share it. Belongs to the scheduler's mutex.
struct Capture {
  std::vector<Queue*> queues;  ///< the first is the origin; null where the stream was destroyed
  std::vector<Lane> lanes;     ///< of the queues
  std::vector<std::pair<std::size_t, std::size_t>> marks;  ///< lane and position of each captured mark
};

// All with the scheduler's lock held.

/// Throws InternalError where the queue is in a capture already.
void begin_capture(Queue& queue);
/// Ends the capture of which queue is the origin, for all its queues. Throws InternalError where it is not the
/// origin, or where a stream was not joined: its last operation is not one that the origin waits for.
[[nodiscard]] std::vector<Lane> end_capture(Queue& queue, std::size_t& marks);
/// Of a queue in a capture that is destroyed: the capture fails.
void leave_capture(Queue& queue);

/// Appends to the lane of a capturing queue.
void capture_item(Queue& queue, Item item);
[[nodiscard]] MarkPtr capture_record(Queue& queue);
/// A wait for an event's mark where the queue, the mark, or both are captured; the queue may join the mark's capture.
void capture_wait(Queue& queue, const MarkPtr& mark);
/// Throws InternalError while the queue is captured: "<what>: ..."
void refuse_capture(const Queue& queue, const char* what);

}  // namespace halocline::device::host

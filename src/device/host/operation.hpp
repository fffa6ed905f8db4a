// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "device/detail/failure.hpp"
#include "device/host.hpp"

namespace halocline::device::host {

class Queue;
struct Capture;

/// A moment in a stream, made by record(). All members belong to the scheduler's mutex.
struct Mark {
  bool done = false;
  Duration time{};                            ///< with done: when
  FailurePtr failure;                         ///< with done: the stream failed before it got here
  std::vector<std::weak_ptr<Queue>> waiters;  ///< queues parked on it
  bool captured = false;                      ///< recorded into a capture: not a moment, but a place in a graph
  std::weak_ptr<Capture> capture;             ///< gone when the capture has ended
  std::size_t index = 0;                      ///< of the captured mark in its capture
};
using MarkPtr = std::shared_ptr<Mark>;

/// The work of a wait for flags; constant, so that replays of a graph share it.
struct FlagWaits {
  const std::uint64_t* epoch = nullptr;
  std::vector<FlagWait> waits;
};

/// What an operation does. Run occupies a thread; the others are done, or parked, at once.
struct Run {
  std::shared_ptr<const std::function<void()>> function;
};
struct AwaitFlags {
  std::shared_ptr<const FlagWaits> flags;
};
struct Record {
  MarkPtr mark;
};
struct AwaitMark {
  MarkPtr mark;
};
struct Item;
/// Sequences of Run and AwaitFlags that do not wait for each other. The thread that has the queue continues each of them as far as it can; the
/// operation is done when all of them are. Constant, so that exchanges and graphs share it.
struct Branches {
  std::shared_ptr<const std::vector<std::vector<Item>>> items;
};

/// One entry of a stream's queue, or of a lane of a graph.
struct Item {
  Operation kind{};
  std::variant<Run, AwaitFlags, Record, AwaitMark, Branches> step;
  Injection injection{};
};

}  // namespace halocline::device::host

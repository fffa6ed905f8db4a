// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "device/host/flags.hpp"
#include "device/host/operation.hpp"

namespace halocline::device::host {

class Queue;
using QueueList = std::list<std::shared_ptr<Queue>>;

/// How far an operation is.
struct Progress {
  enum class Stage { fresh, resting, begun };
  Stage stage = Stage::fresh;
  Duration rest_until{};  ///< while resting
  FlagProgress flags;     ///< of a wait for flags that has begun
};
struct BranchProgress {
  std::size_t next = 0;  ///< operation
  Progress progress;     ///< of that
};

/// A stream's operations that are not done, and where the stream stands. All members belong to the scheduler's mutex.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  Queue(int on_device, Priority with_priority) : device(on_device), priority(with_priority) {}

  enum class State {
    idle,      ///< nothing to do
    runnable,  ///< in the scheduler's list of such
    running,   ///< a thread has it
    awaiting,  ///< parked; the mark it waits for makes it runnable
    polling    ///< parked in the scheduler's list of queues that wait for flags or rest
  };

  const int device;
  const Priority priority;
  State state = State::idle;
  std::list<Item> items;                 ///< without the function that is running
  Progress progress;                     ///< of the first operation
  std::vector<BranchProgress> branches;  ///< of the first operation, if it is begun and has any
  FailurePtr failure;                    ///< for good
  std::thread::id runner;                ///< while running
  std::shared_ptr<Capture> capture;
  std::size_t lane = 0;  ///< in the capture
  /// The node by which the queue is in one of the scheduler's lists; here, and null, while it is in none. Made once, so that
  /// parking a queue and making it runnable never allocate.
  QueueList node = QueueList(1);

  /// The first operation is another, and has not begun.
  void begin_next() noexcept {
    progress = {};
    branches.clear();
  }
  void link(QueueList& list) noexcept {
    node.front() = shared_from_this();
    list.splice(list.end(), node);
  }
  void unlink(QueueList& list, QueueList::iterator position) noexcept {
    node.splice(node.begin(), list, position);
    node.front().reset();
  }
};

}  // namespace halocline::device::host

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/backend.hpp"

namespace halocline::device {

/// What a traced operation does. send and receive are the host's, by MPI: from the start of the transfer, or from the post of the
/// receive, until the host finds it complete; the others are in streams. The last three are kernels of applications, which update
/// all cells, the interior, or the cells around it.
enum class Work : int {
  exchange,
  copy,
  pack,
  put,
  unpack,
  post_ready,
  post_arrived,
  wait_ready,
  wait_arrived,
  wait_sent,
  send,
  receive,
  all_cells,
  interior,
  boundary
};
[[nodiscard]] std::string_view to_string(Work work);

/// An operation that is prepared once and run in many exchanges.
struct TracedOperation {
  Work work = Work::copy;
  int device = -1;  ///< -1: the host
  std::string
      track;  ///< the name of the stream; two operations of a track do not overlap unless one contains the other
  std::vector<std::size_t> messages{};  ///< numbers by which the exchange knows them
  int part = 0;                         ///< of the message, if it is sent in several
  std::int64_t bytes = 0;               ///< that are copied; 0 for waits and kernels
  std::int64_t subdomain = -1;          ///< of a kernel
};

/// One run of an operation, in time of Clock::steady().
struct TracedRun {
  std::size_t operation = 0;
  std::uint64_t step = 0;
  Duration begin{};
  Duration end{};
};

struct Trace {
  std::vector<TracedOperation> operations;
  std::vector<TracedRun> runs;
  /// By device: the largest difference between times of the device and of the host.
  std::vector<Duration> alignment;
};

/// Runs that a device records itself, within operations that the tracer records: a kernel whose parts are operations, too.
class DeviceRecord {
 public:
  struct Run {
    std::size_t within = 0;     ///< Tracer::innermost() of the operation that contains it
    std::size_t operation = 0;  ///< Tracer::add()
    Duration begin{};           ///< in the clock that all records of this device use
    Duration end{};
  };
  virtual ~DeviceRecord() = default;
  /// All runs since the last call, which are then forgotten. The streams have been synchronised.
  virtual std::vector<Run> take() = 0;
};

/// Records when operations of exchanges, and kernels of applications, run: by events before and after each in its stream. Without a tracer, an exchange compares
/// one pointer for each operation that it enqueues. Used by the one thread that enqueues. Must outlive the exchange, and be
/// destroyed before the backend.
class Tracer {
 public:
  explicit Tracer(Backend& backend) : backend_(&backend) {}

  /// Describes an operation. Returns its number.
  std::size_t add(TracedOperation operation);

  /// Records from now on, after it has compared the clocks of the devices with that of the host. Blocks for that.
  void start();
  void stop() { on_ = false; }
  [[nodiscard]] bool on() const { return on_; }
  /// The exchange that the next operations belong to.
  void set_step(std::uint64_t step) { step_ = step; }

  /// Before and after an operation is enqueued in a stream.
  void begin(std::size_t operation, Stream& stream);
  void end(Stream& stream);
  /// An operation of the host.
  [[nodiscard]] static Duration now() { return Clock::steady().now(); }
  void ran(std::size_t operation, Duration begin, Duration end);

  /// A record of the device's own. Its clock is aligned to the events around the operations that contain its runs.
  void add(int device, std::shared_ptr<DeviceRecord> record) { records_.emplace_back(device, std::move(record)); }
  /// The run of the operation that was begun last, and has not ended.
  [[nodiscard]] std::size_t innermost() const { return open_.back().second; }

  /// All that was recorded since start(), by begin. The streams must have been synchronised. Afterwards there is nothing recorded.
  [[nodiscard]] Trace take();

 private:
  /// A moment of a device's clock that is known in the host's.
  struct Anchor {
    std::unique_ptr<Event> event;
    Duration time{};
    Duration uncertainty{};
  };
  struct Marks {
    std::size_t operation;
    std::uint64_t step;
    int device;
    std::unique_ptr<Event> begin, end;
  };
  [[nodiscard]] Anchor anchor_of(int device) const;
  void add_records(Trace& trace, const std::vector<TracedRun>& marked);

  Backend* backend_;
  bool on_ = false;
  std::uint64_t step_ = 0;
  std::vector<TracedOperation> operations_;
  std::vector<Anchor> anchors_;  ///< by device
  std::vector<Marks> marks_;
  std::vector<std::pair<const Stream*, std::size_t>>
      open_;  ///< operations that have begun, and where in marks_; the innermost last
  std::vector<TracedRun> host_runs_;
  std::vector<std::pair<int, std::shared_ptr<DeviceRecord>>> records_;  ///< with the device
};

/// Whether work that is enqueued in a stream now is recorded. Captured work is not, because events of a graph cannot be read.
[[nodiscard]] inline bool is_traced(const Tracer* tracer, const Stream& stream) {
  return tracer != nullptr && tracer->on() && !stream.capturing();
}

/// Enqueues an operation in a stream, between the tracer's events if it records. tracer: null for none.
template <typename Enqueue>
void traced(Tracer* tracer, std::size_t operation, Stream& stream, Enqueue&& enqueue) {
  if (!is_traced(tracer, stream)) return enqueue();
  tracer->begin(operation, stream);
  enqueue();
  tracer->end(stream);
}

}  // namespace halocline::device

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "halocline/box.hpp"
#include "halocline/environment.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// Whether an event records the time at which its mark is reached.
enum class Timing : int { off, on };

/// A mark in a stream. Re-recording replaces the earlier mark; waits enqueued before see the earlier one.
class Event {
 public:
  virtual ~Event() = default;
  /// Whether the work before the mark is done; true if it was never recorded. Throws the error of the stream if it failed.
  [[nodiscard]] virtual bool query() const = 0;
  /// Time from an earlier mark to this one. Throws InvalidArgument unless both are reached, of one device, and made with Timing::on.
  [[nodiscard]] virtual Duration since(const Event& earlier) const = 0;
};

/// An in-order queue of work on one device: a CUDA stream, or the same on host devices. Calls enqueue and return; the work runs
/// after all that was enqueued before. A failed operation makes the stream fail: what follows in it, and in streams that wait
/// for it, does not run, and query(), synchronize() and later calls throw that error again. One thread at a time uses a stream.
/// Made by Devices, or a subdomain's own.
class Stream {
 public:
  virtual ~Stream() = default;
  /// The ordinal of its device among the rank's own.
  [[nodiscard]] virtual int device() const = 0;

  virtual void record(Event& event) = 0;
  /// Work enqueued after this starts after the event's latest mark so far. A captured stream may wait for marks of its own
  /// capture and for completed marks; throws InternalError for any other, and for a mark of a capture that has ended.
  virtual void wait(const Event& event) = 0;

  /// Runs body(box) in stream order. body may be called for disjoint parts of the box at the same time.
  /// Throws CapabilityError on GPUs: launch a kernel in cuda_stream() instead.
  virtual void launch(const Box& box, std::function<void(const Box&)> body) = 0;
  /// Runs a function of the host in stream order. It must not call Halocline.
  virtual void host_function(std::function<void()> function) = 0;

  /// Whether all work is done. Throws the error of a failed stream, and InternalError while the stream is captured.
  [[nodiscard]] virtual bool query() = 0;
  /// Blocks until all work is done; backs off. Throws like query().
  virtual void synchronize() = 0;
  /// The runtime's own handle (cudaStream_t, see cuda.hpp), or null for host devices.
  [[nodiscard]] virtual void* native() const { return nullptr; }
};

}  // namespace halocline

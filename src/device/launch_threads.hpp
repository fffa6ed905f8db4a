// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "device/backend.hpp"

namespace halocline::device {

/// The same devices, with a thread for each that enqueues its work: calls of its streams hand the work over to that thread
/// and return, so that one thread of a program keeps many devices busy where each launch takes it microseconds. After
/// Sourouri et al., "Effective Multi-GPU Communication Using Multiple CUDA Streams and Threads" (ICPADS 2014), who let a
/// thread drive each GPU.
///
/// What differs from the inner backend:
/// - Calls come back before the work is enqueued. What the device's runtime would refuse at once is then an error of the
///   stream: later calls, query() and synchronize() throw it. (What a call can see for itself it still refuses.)
/// - Work that a caller launches by native() comes behind earlier calls only if native() was called after them: it waits for
///   those to be enqueued. Stream::enqueue() does not wait, and is what to use.
/// - To allocate, to prepare lists, and to capture wait until all that was handed over is enqueued; so should a caller
///   (Stream::native(), or synchronize()) before it calls a runtime's functions that wait for devices.
/// - borrow_stream() is refused: the order of a caller's own launches among the thread's is unknown.
///
/// Streams, events and buffers are destroyed before the returned backend; inner may be used beside it, for other streams.
[[nodiscard]] std::shared_ptr<Backend> with_launch_threads(std::shared_ptr<Backend> inner);

}  // namespace halocline::device

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "device/backend.hpp"

namespace halocline::device {

/// The same devices, with a thread for each device that enqueues its work: calls of its streams pass the work to that thread
/// and return, so that one thread of a program can drive many devices although each launch takes microseconds. After
/// Sourouri et al., "Effective Multi-GPU Communication Using Multiple CUDA Streams and Threads" (ICPADS 2014), in which one
/// thread drives each GPU.
///
/// Differences from the inner backend:
/// - Calls return before the work is enqueued. Errors that the device's runtime reports at once become errors of the
///   stream: later calls, query() and synchronize() throw them. (Errors in the arguments are still thrown by the call.)
/// - Work that a caller launches on native() is ordered after earlier calls only if native() was called after them: it waits until
///   they are enqueued. Prefer Stream::enqueue(), which does not wait.
/// - Allocations, the preparation of lists, and captures wait until all passed work is enqueued. A caller should do the same
///   (Stream::native(), or synchronize()) before it calls functions of the runtime that wait for devices.
/// - borrow_stream() is refused, because the caller's own launches would have no order with the thread's.
///
/// Streams, events and buffers are destroyed before the returned backend; inner may be used at the same time, for other streams.
[[nodiscard]] std::shared_ptr<Backend> with_launch_threads(std::shared_ptr<Backend> inner);

}  // namespace halocline::device

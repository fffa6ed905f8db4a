// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/verdict.hpp"
#include "device/flag.hpp"
#include "device/fused_exchange.hpp"
#include "device/strided_copy.hpp"
#include "halocline/devices.hpp"
#include "halocline/stream.hpp"

namespace halocline::device {

using halocline::DeviceInfo;
using halocline::Event;
using halocline::Timing;

/// What memory an address is in, as the runtime of the devices knows it.
enum class MemoryKind : int {
  host,     ///< of the host, and the runtime does not know it: malloc()
  pinned,   ///< of the host, allocated as pinned memory or registered
  device,   ///< of a device, in an allocation that can be exported: cudaMalloc()
  managed,  ///< moves between the devices and the host: cudaMallocManaged()
  pool,     ///< of a device, from a memory pool: cudaMallocAsync()
  mapped    ///< of a device, in an address range that was mapped, or that cannot be exported: cuMemMap()
};
[[nodiscard]] std::string_view to_string(MemoryKind kind);

struct MemoryInfo {
  MemoryKind kind = MemoryKind::host;
  /// Of the backend that was asked. -1 where it is none of its devices, and for host, pinned and managed memory.
  int device = -1;
  /// Another process can map it by a handle of its allocation (cudaIpcGetMemHandle).
  bool exportable = false;
};

/// Memory of a device. Owner; frees in its destructor whatever device is current, and logs a failure.
/// The caller sees to it that no work uses it any more.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// What another process needs to map a ShareableBuffer. Trivially copyable; a secret between the ranks of a job.
struct MemoryHandle {
  std::array<std::byte, 192> blob{};
};

/// Device memory in an allocation of its own, so that exporting it exports nothing else. Zero-filled at first.
class ShareableBuffer : public Buffer {
 public:
  [[nodiscard]] virtual MemoryHandle handle() const = 0;
};

/// Another process's (or another rank's) ShareableBuffer, mapped. Unmaps in its destructor; the exporter
/// must free only after all have unmapped.
class Mapping {
 public:
  virtual ~Mapping() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// Host memory that was allocated elsewhere, reachable for devices for as long as this lives.
class Registration {
 public:
  virtual ~Registration() = default;
};

/// A list of copies that is prepared once and run many times as one operation.
class CopyList {
 public:
  virtual ~CopyList() = default;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

/// Captured work; launched any number of times, one launch after another.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// The stream of a backend: what a user does with one (halocline/stream.hpp), and what exchanges need besides.
/// Where a device cannot take work back (CUDA), all streams of the backend fail together, no flag is signalled, no epoch
/// advanced and no list of copies run any more, but 1-D copies and the user's own kernels that were enqueued are run.
/// Its destructor does not wait for all work (it must not hang): synchronize() before. The host backend drops what has not
/// started, with a warning and as an error to those that wait for its events, and waits for what is running.
class Stream : public halocline::Stream {
 public:
  using halocline::Stream::launch;
  using halocline::Stream::wait;

  /// Between any two of: this device, another device, a mapping, pinned host memory.
  virtual void copy(std::byte* target, const std::byte* source, std::size_t bytes) = 0;
  virtual void copy(const StridedCopy& copy) = 0;
  /// All copies of a list as one operation. The list must outlive the work.
  virtual void copy(const CopyList& list) = 0;
  /// All of a FusedPlan, as one operation. The prepared plan must outlive the work, and is not run twice at the same time.
  virtual void run(FusedExchange& exchange) = 0;

  /// *epoch += 1, then signals each flag with the new value, as signal() does. The word is in device memory (or any
  /// memory the device reaches) and belongs to this stream's owner.
  virtual void advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) = 0;
  void advance(std::uint64_t* epoch) { advance(epoch, {}); }
  /// Signals each flag with the value that *epoch has when the operation runs. Everything that was written before in
  /// this stream happens-before the flags are seen.
  virtual void signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) = 0;
  /// Waits for each flag to reach the value that *epoch has when the operation runs. The host backend parks the
  /// queue, not a thread. Fails the stream with DeadlineError, ProtocolError or CommunicationError (abort word).
  virtual void wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) = 0;

  /// Fails the stream with ProtocolError where a condition does not hold. Captured, it is checked at each replay.
  virtual void expect(std::span<const CounterCheck> checks) = 0;

  /// Calls work(stream), which enqueues in that stream and in no other, after the calls before this one and before those
  /// after it: at once, or by the thread that launches for the device (launch_threads.hpp). So kernels are launched, on
  /// stream.native(), wherever another thread may be at it.
  virtual void enqueue(std::function<void(Stream&)> work) { work(*this); }

  /// From here to end_capture(), work is recorded instead of run; streams that wait for an event of a captured stream
  /// join the capture, and must be waited for by this stream before it ends. begin_capture throws InternalError while
  /// one is under way.
  virtual void begin_capture() = 0;
  [[nodiscard]] virtual std::unique_ptr<Graph> end_capture() = 0;
  [[nodiscard]] virtual bool capturing() const = 0;
  /// Runs captured work in this stream's order. The graph, and all that the captured work uses, must outlive it.
  /// Throws CapabilityError while this stream is captured.
  virtual void launch(Graph& graph) = 0;

  /// Throws what the stream is known to have failed with: by far the cheapest of such questions, and allowed in a capture.
  virtual void raise_failure() = 0;
};

/// A user's stream as what it is. Throws InvalidArgument for one that no backend made.
[[nodiscard]] Stream& stream_of(halocline::Stream& stream);

enum class Priority : int { normal, high };

/// A device is current for the thread that made it so, until this is destroyed by it.
class Current {
 public:
  virtual ~Current() = default;
};

/// The devices that this process drives, numbered from 0 (the rank's own ordinals, not the node's).
/// Streams, events and buffers must be destroyed before their backend. Thread-safe but for the objects it makes.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual DeviceKind kind() const = 0;
  [[nodiscard]] virtual int device_count() const = 0;
  [[nodiscard]] virtual DeviceInfo info(int device) const = 0;
  /// What the first owned cell of a row is best aligned to: a cache line of the host, a sector group of a GPU. A
  /// power of two.
  [[nodiscard]] virtual std::int64_t row_alignment_bytes() const = 0;
  /// What memory works in: stores of whole such pieces need not read what was there before. A power of two, at most the row
  /// alignment; 1 where it makes no difference.
  [[nodiscard]] virtual std::int64_t sector_bytes() const = 0;

  /// Throws ResourceError with the number of bytes and the reason.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(int device, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<ShareableBuffer> allocate_shareable(int device, std::size_t bytes) = 0;
  /// Host memory that copies to and from devices run at full speed with, that devices can load and store at the same
  /// address, and that MPI may be given.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate_pinned(std::size_t bytes) = 0;
  /// The same for memory that is there already, such as a window that processes share. It should be whole pages, because
  /// pages are registered, and CUDA refuses to copy from other memory that begins in such a page and ends beyond it.
  /// Throws CapabilityError.
  [[nodiscard]] virtual std::unique_ptr<Registration> register_host(const std::byte* memory, std::size_t bytes) = 0;
  /// Maps another rank's buffer for use by one device. Throws CapabilityError that says why it may not.
  [[nodiscard]] virtual std::unique_ptr<Mapping> map(int device, const MemoryHandle& handle) = 0;

  /// The name is for profilers.
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream(int device, Priority priority, std::string_view name) = 0;
  [[nodiscard]] std::unique_ptr<Stream> create_stream(int device, Priority priority = Priority::normal) {
    return create_stream(device, priority, {});
  }
  /// A stream that the caller made with the backend's own interface (cudaStream_t), and that outlives what is returned here.
  /// Throws CapabilityError on the host, which has no such handles, and InvalidArgument for a stream that is of another device
  /// or CUDA's legacy default one.
  [[nodiscard]] virtual std::unique_ptr<Stream> borrow_stream(int device, void* native);
  [[nodiscard]] virtual std::unique_ptr<Event> create_event(int device, Timing timing) = 0;
  [[nodiscard]] std::unique_ptr<Event> create_event(int device) { return create_event(device, Timing::off); }
  [[nodiscard]] virtual std::unique_ptr<CopyList> prepare(int device, std::span<const StridedCopy> copies) = 0;
  /// Throws InvalidArgument for a pointer that is null or not aligned, and for strides that a StridedCopy may not have.
  [[nodiscard]] virtual std::unique_ptr<FusedExchange> fuse(int device, const FusedPlan& plan) = 0;

  /// Takes one of so many equal parts (2 or more) of the room that a device has for kernels which wait for other devices, for
  /// exchanges whose plans name it (FusedPlan::room); it is given back when what is returned is destroyed. multiprocessors: what
  /// the exchanges are limited to, 0 for no limit. Null where there is no such limit (host). Throws ResourceError where no such
  /// part is left on the device, CapabilityError where kernels of several exchanges would hold each other up.
  [[nodiscard]] virtual std::unique_ptr<Room> reserve_room(int device, int parts, int multiprocessors) = 0;

  /// What kind of memory an address belongs to, whoever allocated it.
  [[nodiscard]] virtual MemoryInfo memory_at(const void* address) const = 0;
  /// Whether device `from` of this process may load and store memory of its device `to`.
  [[nodiscard]] virtual Verdict peer_access(int from, int to) const = 0;
  /// Whether work that waits for a flag in one stream lets work of other streams run (launches may be serialised).
  [[nodiscard]] virtual Verdict overlapping_launches() const = 0;
  /// Whether it pays to capture a sequence that repeats once, and to replay it: enqueuing it operation by operation
  /// costs more than launching a graph.
  [[nodiscard]] virtual bool prefers_graphs() const = 0;

  /// Blocks the calling thread until done() returns true, making progress in the meantime (the host backend lets the
  /// thread do queued work, so that done() may be asked late by one operation), backing off where there is nothing to
  /// do. Returns false at the deadline. What done() throws passes through.
  virtual bool wait_until(const std::function<bool()>& done, const Deadline& deadline) = 0;

  /// Makes a device current for the calling thread, as its runtime means it (cudaSetDevice), and again what was current before
  /// when what is returned is destroyed. For libraries that are given memory of the device and look at what is current, as MPI
  /// does; the backend itself needs it nowhere. Null where there is nothing to do.
  [[nodiscard]] virtual std::unique_ptr<Current> make_current(int /*device*/) { return nullptr; }

  /// Marks what the calling thread does between the two calls, for profilers; see Range.
  virtual void push_range(const char* /*name*/) {}
  virtual void pop_range() {}
};

/// A named stretch of the calling thread's time, as profilers show it (NVTX on CUDA).
class Range {
 public:
  Range(Backend& backend, const char* name) : backend_(&backend) { backend_->push_range(name); }
  Range(Backend& backend, const std::string& name) : Range(backend, name.c_str()) {}
  ~Range() { backend_->pop_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Backend* backend_;
};

}  // namespace halocline::device

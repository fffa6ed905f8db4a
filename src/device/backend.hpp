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
#include <vector>

#include "core/clock.hpp"
#include "core/verdict.hpp"
#include "device/communicator.hpp"
#include "device/flag.hpp"
#include "device/fused_exchange.hpp"
#include "device/strided_copy.hpp"
#include "device/strided_reduction.hpp"
#include "device/strided_sum.hpp"
#include "device/word_reader.hpp"
#include "halocline/devices.hpp"
#include "halocline/stream.hpp"

namespace halocline::device {

using halocline::DeviceInfo;
using halocline::Event;
using halocline::Timing;

/// The kind of memory of an address, as the runtime of the devices reports it.
enum class MemoryKind : int {
  host,     ///< of the host, unknown to the runtime: malloc()
  pinned,   ///< of the host, allocated as pinned memory or registered
  device,   ///< of a device, in an allocation that can be exported: cudaMalloc()
  managed,  ///< moves between the devices and the host: cudaMallocManaged()
  pool,     ///< of a device, from a memory pool: cudaMallocAsync()
  mapped    ///< of a device, in an address range that was mapped: cuMemMap()
};
[[nodiscard]] std::string_view to_string(MemoryKind kind);

struct MemoryInfo {
  MemoryKind kind = MemoryKind::host;
  /// The device of this backend; -1 for another device, and for host, pinned and managed memory.
  int device = -1;
  /// Another process can map it by a handle of its allocation (cudaIpcGetMemHandle). Of pools and mapped memory export_range() decides.
  bool exportable = false;
};

/// Memory of a device. Owner; its destructor frees it, whichever device is current, and logs a failure.
/// The caller guarantees that no work uses it then.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::byte* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// What another process needs to map a ShareableBuffer. Trivially copyable; a secret between the ranks of a job.
struct MemoryHandle {
  std::array<std::byte, 256> blob{};
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

/// Memory of the caller's that other processes may map.
struct ExportedRange {
  std::vector<MemoryHandle> pieces;  ///< for Backend::map_range(): mapped back to back
  std::size_t offset = 0;            ///< of the range's first byte in what is mapped
  std::shared_ptr<const void> held;  ///< others can map for as long as it exists; mappings then stay
};

/// Host memory that was allocated elsewhere, accessible to devices during the lifetime of this object.
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

/// A list of sums that is prepared once and run many times as one operation.
class SumList {
 public:
  virtual ~SumList() = default;
};

/// A list of reductions that is prepared once and run many times as one operation.
class ReductionList {
 public:
  virtual ~ReductionList() = default;
};

/// Captured work; launched any number of times, one launch after another.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// The stream of a backend: what a user does with one (halocline/stream.hpp), and what exchanges need besides.
/// If a device cannot cancel enqueued work (CUDA), all streams of the backend fail together: no flag is signalled, no epoch
/// advanced and no list of copies run any more, but 1-D copies and the user's own kernels that were enqueued run.
/// The destructor does not wait for all work, as it must not hang: call synchronize() before. The host backend drops work that has
/// not started, with a warning and an error for streams that wait for its events, and waits for running work.
class Stream : public halocline::Stream {
 public:
  using halocline::Stream::launch;
  using halocline::Stream::wait;

  /// Between any two of: this device, another device, a mapping, pinned host memory.
  virtual void copy(std::byte* target, const std::byte* source, std::size_t bytes) = 0;
  virtual void copy(const StridedCopy& copy) = 0;
  /// All copies of a list as one operation. The list must outlive the work.
  virtual void copy(const CopyList& list) = 0;
  /// One of two lists, by the parity of *epoch at the time when the operation runs. Throws CapabilityError on
  /// backends that run a FusedPlan as one operation.
  virtual void copy_in_turn(const std::uint64_t* epoch, const std::array<const CopyList*, 2>& lists);
  /// All sums of a list as one operation; their targets do not overlap. The list must outlive the work.
  virtual void add(const SumList& list) = 0;
  /// All reductions of a list as one operation; their targets are no elements of it. The list must outlive the work, and is not run
  /// twice at the same time.
  virtual void reduce(const ReductionList& list) = 0;
  /// A whole FusedPlan, as one operation. The prepared plan must outlive the work; it is not run twice at the same time.
  /// stamps: what the exchange's stamps() returned, or null.
  virtual void run(FusedExchange& exchange, std::uint64_t* stamps) = 0;
  void run(FusedExchange& exchange) { run(exchange, nullptr); }

  /// *epoch += 1, then signals each flag with the new value, as signal() does. The word is in device memory (or any
  /// memory that the device can access); only the owner of this stream changes it.
  virtual void advance(std::uint64_t* epoch, std::span<const FlagSignal> signals) = 0;
  void advance(std::uint64_t* epoch) { advance(epoch, {}); }
  /// Signals each flag with the value of *epoch at the time when the operation runs. Everything that was written before in
  /// this stream happens-before a read of the flags.
  virtual void signal(const std::uint64_t* epoch, std::span<const FlagSignal> signals) = 0;
  /// Waits for each flag to reach the value of *epoch at the time when the operation runs. The host backend parks the
  /// queue, not a thread. Fails the stream with DeadlineError, ProtocolError or CommunicationError (abort word).
  virtual void wait(const std::uint64_t* epoch, std::span<const FlagWait> waits) = 0;

  /// Fails the stream with ProtocolError if a condition does not hold. In a graph it is checked at each launch.
  virtual void expect(std::span<const CounterCheck> checks) = 0;

  /// Calls work(stream), which enqueues in that stream only, in the order of calls: at once, or by the thread that launches for
  /// the device (launch_threads.hpp). Use it to launch kernels on stream.native() if another thread may launch, too.
  virtual void enqueue(std::function<void(Stream&)> work) { work(*this); }

  /// Until end_capture(), work is recorded instead of run. Streams that wait for an event of a captured stream
  /// join the capture, and this stream must wait for them before it ends. begin_capture throws InternalError during a
  /// capture.
  virtual void begin_capture() = 0;
  [[nodiscard]] virtual std::unique_ptr<Graph> end_capture() = 0;
  [[nodiscard]] virtual bool capturing() const = 0;
  /// Runs captured work in stream order. The graph, and everything that the captured work uses, must outlive the run.
  /// Throws CapabilityError while this stream is captured.
  virtual void launch(Graph& graph) = 0;

  /// Throws the stream's error if a failure is known: much cheaper than query(), and allowed in a capture.
  virtual void raise_failure() = 0;
};

/// The backend's stream of a user's. Throws InvalidArgument for a stream that no backend made.
[[nodiscard]] Stream& stream_of(halocline::Stream& stream);

enum class Priority : int { normal, high };

/// RAII guard: the destructor restores the thread's previous current device.
class Current {
 public:
  virtual ~Current() = default;
};

/// The devices that this process drives, numbered from 0 (the rank's own ordinals, not the node's).
/// Streams, events and buffers must be destroyed before their backend. Thread-safe, except the objects it makes.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual DeviceKind kind() const = 0;
  [[nodiscard]] virtual int device_count() const = 0;
  [[nodiscard]] virtual DeviceInfo info(int device) const = 0;
  /// The best alignment of the first owned cell of a row: a cache line of the host, a sector group of a GPU. A
  /// power of two. Rows between which narrow halos lie are aligned to a sector only.
  [[nodiscard]] virtual std::int64_t row_alignment_bytes() const = 0;
  /// The unit of memory transactions: stores of whole sectors do not read memory first. A power of two, at most the row
  /// alignment; 1 if it makes no difference.
  [[nodiscard]] virtual std::int64_t sector_bytes() const = 0;

  /// Throws ResourceError with the number of bytes and the reason.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(int device, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<ShareableBuffer> allocate_shareable(int device, std::size_t bytes) = 0;
  /// For messages of MPI in device memory: the same, in memory that a device-aware MPI exports itself. It does so by legacy IPC handles,
  /// which exist for cudaMalloc() alone, and so shareable memory of other kinds would be copied through the host, or refused.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate_for_messages(int device, std::size_t bytes) {
    return allocate_shareable(device, bytes);
  }
  /// How shareable memory of a device reaches other processes, for people: "fabric handles". Throws CapabilityError if the device refuses
  /// what a setting asks for.
  [[nodiscard]] virtual std::string memory_export(int /*device*/) { return "anonymous files"; }
  /// Host memory for copies to and from devices at full speed, which devices can load and store at the same
  /// address, and which may be passed to MPI.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate_pinned(std::size_t bytes) = 0;
  /// The same for existing memory, such as a window that processes share. It should be whole pages, because
  /// pages are registered, and CUDA refuses copies from other memory that begins in a registered page and ends beyond it.
  /// Throws CapabilityError.
  [[nodiscard]] virtual std::unique_ptr<Registration> register_host(const std::byte* memory, std::size_t bytes) = 0;
  /// Exports the caller's memory of a device, with all of the allocations that it is in. It must not be freed before all others have
  /// unmapped it. Throws CapabilityError with the reason where how it was allocated does not allow it.
  [[nodiscard]] virtual ExportedRange export_range(int device, const std::byte* first, std::size_t bytes);
  /// Maps another rank's buffer for use by one device. Throws CapabilityError with the reason if that is not possible.
  [[nodiscard]] virtual std::unique_ptr<Mapping> map(int device, const MemoryHandle& handle) = 0;
  /// The same for the pieces of an ExportedRange; one piece may also be a buffer's.
  [[nodiscard]] virtual std::unique_ptr<Mapping> map_range(int device, std::span<const MemoryHandle> pieces);

  /// The name is for profilers.
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream(int device, Priority priority, std::string_view name) = 0;
  [[nodiscard]] std::unique_ptr<Stream> create_stream(int device, Priority priority = Priority::normal) {
    return create_stream(device, priority, {});
  }
  /// Wraps a stream of the caller's (cudaStream_t), which must outlive the result. Throws CapabilityError on the host, and
  /// InvalidArgument for a stream of another device or CUDA's legacy default stream.
  [[nodiscard]] virtual std::unique_ptr<Stream> borrow_stream(int device, void* native);
  [[nodiscard]] virtual std::unique_ptr<Event> create_event(int device, Timing timing) = 0;
  [[nodiscard]] std::unique_ptr<Event> create_event(int device) { return create_event(device, Timing::off); }
  [[nodiscard]] virtual std::unique_ptr<CopyList> prepare(int device, std::span<const StridedCopy> copies) = 0;
  /// The same, which also writes headers; in no order with the copies.
  [[nodiscard]] virtual std::unique_ptr<CopyList> prepare_packing(int device, std::span<const StridedCopy> copies,
                                                                  const HeaderWrite& write) = 0;
  /// The same with a check of headers. Where they are not as expected, the stream fails, and what was copied is undefined.
  [[nodiscard]] virtual std::unique_ptr<CopyList> prepare_unpacking(int device, std::span<const StridedCopy> copies,
                                                                    const HeaderCheck& check) = 0;
  /// Throws InvalidArgument for a null pointer.
  [[nodiscard]] virtual std::unique_ptr<SumList> prepare_sums(int device, std::span<const StridedSum> sums) = 0;
  /// Throws InvalidArgument: see check(StridedReduction).
  [[nodiscard]] virtual std::unique_ptr<ReductionList> prepare_reductions(
      int device, std::span<const StridedReduction> reductions) = 0;
  /// Throws InvalidArgument for a null or misaligned pointer, and for strides that a StridedCopy may not have.
  [[nodiscard]] virtual std::unique_ptr<FusedExchange> fuse(int device, const FusedPlan& plan) = 0;

  /// Reserves one of `parts` (2 or more) equal shares of the blocks that a device can have resident for kernels that wait for other
  /// devices, for exchanges with this FusedPlan::room; with 0 parts no blocks, for exchanges that wait in streams of their own. Released
  /// when the result is destroyed. multiprocessors: the exchanges' limit, 0 for none. Null if the device needs none (host). Throws
  /// ResourceError if no share is left on the device, CapabilityError if several domains' exchanges could block each other.
  [[nodiscard]] virtual std::unique_ptr<Room> reserve_room(int device, int parts, int multiprocessors) = 0;

  /// Reads these words of a device's memory, for diagnostics, whatever its streams do. The words must be valid for as long as the result,
  /// and longer if a read returned nothing.
  [[nodiscard]] virtual std::unique_ptr<WordReader> make_word_reader(int device,
                                                                     std::vector<const std::uint64_t*> words);

  /// The kind of memory of an address, allocated by any means.
  [[nodiscard]] virtual MemoryInfo memory_at(const void* address) const = 0;
  /// Whether device `from` of this process may load and store memory of its device `to`.
  [[nodiscard]] virtual Verdict peer_access(int from, int to) const = 0;
  /// Whether work of other streams runs while work in one stream waits for a flag (launches may be serialised).
  [[nodiscard]] virtual Verdict overlapping_launches() const = 0;
  /// Signals flags from a thread of the host, as Stream::signal() does from the device; for network engines.
  virtual void signal_from_host(std::span<const FlagSignal> signals, std::uint64_t epoch);
  /// Whether its devices can join a communicator. The first call may load a library.
  [[nodiscard]] virtual Verdict communicators() const;
  /// For all members of a communicator to come.
  [[nodiscard]] virtual CommunicatorId make_communicator_id();
  /// Waits until all members of all processes have joined, at most for the timeout. In the members' order. Throws CommunicationError,
  /// after which what the library holds may be leaked.
  [[nodiscard]] virtual std::vector<std::unique_ptr<Communicator>> join(const CommunicatorSetup& setup);

  /// Whether launching a graph costs less than enqueuing its operations one by one, so that repeated sequences should be
  /// captured.
  [[nodiscard]] virtual bool prefers_graphs() const = 0;

  /// Blocks the calling thread until done() returns true. Makes progress in the meantime (in the host backend the
  /// thread runs queued work, which can delay the next call of done() by one operation), and backs off if there is nothing to
  /// do. Returns false at the deadline. Exceptions of done() are passed on.
  virtual bool wait_until(const std::function<bool()>& done, const Deadline& deadline) = 0;
  /// Blocks until the streams have run all that was enqueued. Throws the error of a stream that has failed without waiting for the
  /// others, which may wait for what it would have sent.
  void synchronize(std::span<Stream* const> streams);

  /// Makes a device current for the calling thread (cudaSetDevice), until the result is destroyed, which restores the previous
  /// one. For libraries that depend on the current device, such as MPI on device memory; the backend itself does not. Null if
  /// there is nothing to do.
  [[nodiscard]] virtual std::unique_ptr<Current> make_current(int /*device*/) { return nullptr; }

  /// Begin and end a range of the calling thread for profilers; see Range.
  virtual void push_range(const char* /*name*/) {}
  virtual void pop_range() {}
};

/// A named range of the calling thread's time for profilers (NVTX on CUDA).
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

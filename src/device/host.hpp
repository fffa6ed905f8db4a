// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/backend.hpp"

namespace halocline::device {

/// The operations that a test can delay or fail.
enum class Operation : int {
  allocate,
  export_memory,
  map_memory,
  copy,
  copy_list,
  sum_list,
  reduction_list,
  advance,
  expect,
  signal,
  wait_flag,
  record,
  wait_event,
  launch,
  host_function,
  graph
};
[[nodiscard]] std::string_view to_string(Operation operation);

/// An injected fault of one operation.
struct Injection {
  /// For stream operations, counted from the time when it is the first of its queue: the queue is parked, no thread sleeps.
  Duration delay{};
  /// The operation fails with DeviceError (ResourceError for allocate, CapabilityError for export_memory and
  /// map_memory).
  std::optional<std::string> failure;
};

/// Called once for each operation, by the thread that enqueues it, in program order; for captured
/// operations at each launch of their graph. Device is -1 for pinned memory. Tests implement it, seeded.
class Injector {
 public:
  virtual ~Injector() = default;
  virtual Injection before(Operation operation, int device) = 0;
  /// A device whose launches take so many times as long as they ran, 1 or more: the queue is parked for the rest. Any thread calls it.
  virtual double slowdown(int /*device*/) { return 1; }
};

struct HostOptions {
  int devices = 1;
  /// Threads that run the streams' work in the background; 0: cores / ranks_on_node, at least 1, at most the devices.
  int workers = 0;
  int ranks_on_node = 1;
  /// The clock of delays and timeouts; must outlive the backend and everything that it made.
  const Clock* clock = &Clock::steady();
  std::shared_ptr<Injector> injector{};
  /// Peer access from one device to another of this process; empty: always.
  std::function<bool(int from, int to)> peer_access{};
  /// Whether a device may map a buffer that was exported by another rank's device; empty: always.
  std::function<bool(int device, const std::string& exporter_uuid)> mapping{};
  /// Map memory by the operating system even if the exporter is this process (ranks as
  /// threads). If off, both use one address, so that ThreadSanitizer can relate their accesses.
  bool always_remap = false;
  /// The result of Backend::prefers_graphs(). Tests use both.
  bool graphs = false;
  /// Backend::sector_bytes(): a power of two, at most 64. Above 1, rows grow to whole sectors as on GPUs.
  std::int64_t sector_bytes = 1;
  /// A fused exchange that copies fewer bytes on a device is one operation, whose parts one thread does as they become possible. A larger one
  /// has a stream for each part, so that several threads share it. nullopt: 256 KiB, which a thread copies in the time that it takes to wake
  /// another; any number where ranks and cores are as many, as one thread copies all of it then.
  std::optional<std::int64_t> one_operation_below_bytes{};
};

/// Devices that consist of host memory and a bounded pool of threads: a model of a GPU node, always available.
[[nodiscard]] std::shared_ptr<Backend> make_host_backend(const HostOptions& options);

}  // namespace halocline::device

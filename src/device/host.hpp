// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/backend.hpp"

namespace halocline::device {

/// What a test can interfere with.
enum class Operation : int {
  allocate,
  export_memory,
  map_memory,
  copy,
  copy_list,
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

/// What happens to one operation before it is carried out.
struct Injection {
  /// Of stream operations, from when it is the first of its queue: the queue rests for so long, no thread does.
  Duration delay{};
  /// The operation fails with DeviceError (ResourceError for allocate, CapabilityError for export_memory and
  /// map_memory).
  std::optional<std::string> failure;
};

/// Asked once for each operation, by the thread that enqueues it, in the order of the program; for captured
/// operations at each launch of their graph. Device is -1 for pinned memory. Tests implement it, seeded.
class Injector {
 public:
  virtual ~Injector() = default;
  virtual Injection before(Operation operation, int device) = 0;
};

struct HostOptions {
  int devices = 1;
  /// Threads that run the streams' work in the background; 0: cores / ranks_on_node, at least 1, at most the devices.
  int workers = 0;
  int ranks_on_node = 1;
  /// Of delays and of the timeouts of waits; must outlive the backend and all that it made.
  const Clock* clock = &Clock::steady();
  std::shared_ptr<Injector> injector;
  /// Peer access from one device to another of this process; empty: always.
  std::function<bool(int from, int to)> peer_access;
  /// Whether a device may map a buffer that was exported by another rank's device; empty: always.
  std::function<bool(int device, const std::string& exporter_uuid)> mapping;
  /// Map other processes' memory by the operating system even where the exporter is this process (ranks as
  /// threads); off, both see one address, so that ThreadSanitizer sees their accesses.
  bool always_remap = false;
  /// What Backend::prefers_graphs() says: whether exchanges capture what repeats. Tests meet both.
  bool graphs = false;
  /// Backend::sector_bytes(): a power of two, at most 64. More than 1 lets tests meet what GPUs do.
  std::int64_t sector_bytes = 1;
};

/// Devices made of the host's memory and a bounded pool of threads: the model of a GPU node that is always there.
[[nodiscard]] std::shared_ptr<Backend> make_host_backend(const HostOptions& options);

}  // namespace halocline::device

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] halocline {

using Duration = std::chrono::nanoseconds;

enum class LogLevel : int { error, warning, info, debug };
[[nodiscard]] std::string_view to_string(LogLevel level);

/// Takes this process's messages, in place of standard error.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;
/// From here on messages within HALOCLINE_LOG go to the sink; an empty one restores standard error. May be called at any time. The
/// sink is called by one thread at a time, also from destructors and other threads than the caller's; it must not call Halocline,
/// and what it throws is dropped.
void set_log_sink(LogSink sink);
/// The hook is called from waits, in the thread that waits, every 20 ms or so. What it throws ends the wait, and the domain has failed:
/// for interpreters, which handle Ctrl-C there. An empty one: nothing is called.
void set_wait_hook(std::function<void()> hook);

/// The environment variables that Halocline reads, as one typed value. Always read are HALOCLINE_LOG, _RECORD, _DEVICE_MEMORY and _VIRTUAL_RACK.
/// The others take effect in a domain whose options come from DomainOptions::from(). Unset variables have the defaults given here.
struct Environment {
  /// HALOCLINE_RANKS_PER_NODE: ranks see virtual nodes of this many ranks (1 or more).
  std::optional<int> ranks_per_node;
  /// HALOCLINE_VIRTUAL_RACK: 1 if the virtual nodes of a host form a rack, whose nodes map each other's memory, or 0.
  bool virtual_rack = false;
  /// HALOCLINE_BACKEND: auto (GPUs if every rank sees one, otherwise host devices), host or cuda.
  std::string backend = "auto";
  /// HALOCLINE_DEVICES_PER_RANK: devices that each rank drives (1 to 64).
  std::optional<int> devices_per_rank;
  /// HALOCLINE_HOST_WORKERS: worker threads of the host backend in a process (1 to 256).
  std::optional<int> host_workers;
  /// HALOCLINE_DEVICE_MEMORY: auto (fabric where a trial of it succeeds, otherwise ipc), ipc, fd or fabric, by which GPU memory is
  /// exported to other processes.
  std::string device_memory = "auto";
  /// HALOCLINE_TIMEOUT: seconds (a decimal number above 0) that a collective or an exchange may take.
  Duration timeout = std::chrono::seconds(120);
  /// HALOCLINE_TRANSPORTS: comma-separated transports that may be used; a leading '-' forbids one.
  std::optional<std::string> transports;
  /// HALOCLINE_NET_ENGINE: auto, mpi or ucx, which moves the messages of net.
  std::string net_engine = "auto";
  /// HALOCLINE_VALIDATE_ORDERING: 1 to look for work that is not ordered with exchanges (slow), or 0.
  bool validate_ordering = false;
  /// HALOCLINE_SLOW_PATHS: 1 to warn of routes far below their predicted rate, or 0.
  bool slow_paths = false;
  /// HALOCLINE_LOG: error, warning, info or debug.
  std::string log_level = "warning";
  /// HALOCLINE_COMM: auto, serial or mpi.
  std::string comm = "auto";
  /// HALOCLINE_MPI_PLUGIN: the plug-in for MPI that the Python package is to use, by name, in builds that have plug-ins.
  std::optional<std::string> mpi_plugin;
  /// HALOCLINE_PROFILE_OUTPUT: the file that the profiling library writes; `halocline profile` sets it.
  std::optional<std::string> profile_output;
  /// HALOCLINE_PROFILE_LIBRARY: the profiling library, if `halocline profile` does not find it.
  std::optional<std::string> profile_library;

  using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
  /// Reads the process's environment, or what lookup returns (for tests).
  /// Throws InvalidArgument that names the variable, its value and what is allowed.
  static Environment read();
  static Environment read(const Lookup& lookup);
};

}  // namespace halocline

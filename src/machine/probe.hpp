#pragma once

#include <string>
#include <utility>
#include <vector>

#include "halocline/device/backend.hpp"
#include "halocline/machine/machine_map.hpp"

// What one process finds out by itself; discover.cpp puts it together.
namespace halocline::machine {

/// A node without its devices.
struct HostProbe {
  NodeType type;
  /// The operating system's number of each NUMA node, and its vertex; at least one entry.
  std::vector<std::pair<int, int>> numa;
};
/// By hwloc, or a guess of one package where it was not built in (probe_hwloc.cpp, probe_absent.cpp).
[[nodiscard]] HostProbe probe_host();
/// How probe_host came by its numbers, for MachineMap::sources.
[[nodiscard]] std::vector<std::string> host_sources();

/// One device as a process sees it.
struct DeviceProbe {
  device::BackendKind kind = device::BackendKind::host;
  std::string name;
  std::string uuid;
  std::int64_t memory_bytes = 0;
  int numa = -1;
  /// uuids of the process's devices that it cannot reach, or that cannot reach it.
  std::vector<std::string> no_access;
};
/// The devices of a process, by ordinal.
[[nodiscard]] std::vector<DeviceProbe> probe_devices(const device::Backend& backend);
[[nodiscard]] std::vector<std::string> device_sources();

/// Adds devices to a node as vertices and links; the order gives the device_ids.
void attach(HostProbe& host, const std::vector<DeviceProbe>& devices);

/// The name of the machine's node that this process runs on.
[[nodiscard]] std::string host_name();

}  // namespace halocline::machine

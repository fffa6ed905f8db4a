// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "discovery/nvml_report.hpp"
#include "machine/machine_map.hpp"

// What one process finds out without communication; discover.cpp combines the results.
namespace halocline::machine {

/// Where a PCI function that may be a GPU or a network card is plugged in.
struct PciPlace {
  std::string id;                  ///< "0000:1b:00.0"
  std::string root_port;           ///< the id of the bridge to the package; empty if there is none
  double root_port_bandwidth = 0;  ///< bytes a second, one direction; 0 if unknown
  int package = -1;                ///< vertex; -1 if unknown
  int nic = -1;                    ///< vertex, if it is a network card
};

/// A node without its devices.
struct HostProbe {
  NodeType type;
  /// The operating system's number of each NUMA node, and its vertex; at least one entry.
  std::vector<std::pair<int, int>> numa;
  std::vector<PciPlace> pci;
  /// The vertex of the NUMA node of each processing unit, by the operating system's number; -1 if unknown.
  std::vector<int> numa_of_cpu;
};
/// Uses hwloc, or guesses one package if hwloc was not built in (probe_hwloc.cpp, probe_absent.cpp).
[[nodiscard]] HostProbe probe_host();
/// Whether this build has hwloc.
[[nodiscard]] bool have_hwloc();
/// Returns the result of the first call: reading the configuration of each PCI function takes milliseconds, and
/// hardware does not change while a process runs. Thread-safe.
[[nodiscard]] const HostProbe& this_host();
/// How probe_host obtained its numbers, for MachineMap::sources.
[[nodiscard]] std::vector<std::string> host_sources();

/// One device as a process sees it.
struct DeviceProbe {
  DeviceKind kind = DeviceKind::host;
  std::string name;
  std::string uuid;
  std::int64_t memory_bytes = 0;
  int numa = -1;
  /// uuids of the process's devices that it cannot reach, or that cannot reach it.
  std::vector<std::string> no_access;
  /// uuids of the process's devices for which access works in both directions.
  std::vector<std::string> access;
};
/// The devices of a process, by ordinal.
[[nodiscard]] std::vector<DeviceProbe> probe_devices(const device::Backend& backend);
[[nodiscard]] std::vector<std::string> device_sources();

/// What NVML reports about all GPUs of the node that this process may see, whether or not they are masked for CUDA.
/// Never fails: an empty report contains the reason.
[[nodiscard]] NvmlReport probe_nvml();
/// The same if a process's devices include GPUs; otherwise returns an empty report and starts no driver.
[[nodiscard]] NvmlReport probe_links(const std::vector<DeviceProbe>& devices);

/// Adds devices to a node as vertices and links; the order determines the device_ids. The switches that connect them
/// come before them. Rates that NVML does not report are nominal.
void attach(HostProbe& host, const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// Returns the number of the load/store domain of each device. No member of a domain is known to be out of reach of
/// another member. A pair that neither a process nor NVML has tested is taken to be in reach; access is tried for real
/// before anything depends on it.
[[nodiscard]] std::vector<int> load_store_domains(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// The name of the machine's node that this process runs on.
[[nodiscard]] std::string host_name();

}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "discovery/nvml_report.hpp"
#include "halocline/machine_map.hpp"

// What one process finds out by itself; discover.cpp puts it together.
namespace halocline::machine {

/// Where a PCI function that may be a GPU or a network card is plugged in.
struct PciPlace {
  std::string id;                  ///< "0000:1b:00.0"
  std::string root_port;           ///< the id of the bridge to the package; empty where there is none
  double root_port_bandwidth = 0;  ///< bytes a second, one direction; 0 where unknown
  int package = -1;                ///< vertex; -1 where unknown
  int nic = -1;                    ///< vertex, where it is a network card
};

/// A node without its devices.
struct HostProbe {
  NodeType type;
  /// The operating system's number of each NUMA node, and its vertex; at least one entry.
  std::vector<std::pair<int, int>> numa;
  std::vector<PciPlace> pci;
  /// The NUMA node's vertex of each processing unit, by the operating system's number; -1 where unknown.
  std::vector<int> numa_of_cpu;
};
/// By hwloc, or a guess of one package where it was not built in (probe_hwloc.cpp, probe_absent.cpp).
[[nodiscard]] HostProbe probe_host();
/// What it found at the first call: it reads the configuration of each PCI function, which takes milliseconds, and hardware
/// stays as it is while a process runs. Safe from several threads.
[[nodiscard]] const HostProbe& this_host();
/// How probe_host came by its numbers, for MachineMap::sources.
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
  /// uuids of those that reach each other.
  std::vector<std::string> access;
};
/// The devices of a process, by ordinal.
[[nodiscard]] std::vector<DeviceProbe> probe_devices(const device::Backend& backend);
[[nodiscard]] std::vector<std::string> device_sources();

/// What NVML tells of all GPUs of the node that this process may see, masked for CUDA or not. Never fails: the report
/// says why it is empty.
[[nodiscard]] NvmlReport probe_nvml();
/// The same where there are GPUs among a process's devices; an empty report, and no driver started, else.
[[nodiscard]] NvmlReport probe_links(const std::vector<DeviceProbe>& devices);

/// Adds devices to a node as vertices and links; the order gives the device_ids. Switches that connect them come before
/// them. What NVML does not know is nominal.
void attach(HostProbe& host, const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// For each device the number of the load/store domain that it is in: of a domain's members none is known to be out of
/// reach of another. Who was not asked, by a process or by NVML, is taken to be in reach; it is tried for real before
/// anything depends on it.
[[nodiscard]] std::vector<int> load_store_domains(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// The name of the machine's node that this process runs on.
[[nodiscard]] std::string host_name();

}  // namespace halocline::machine

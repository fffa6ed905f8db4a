// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "discovery/probe.hpp"

// How the devices of a node are connected, by positions in their list, before they are vertices. Pure: reports in,
// values out.
namespace halocline::machine {

/// Sums over NVLink links, bytes a second in one direction; 0 where there are none.
struct NvlinkSums {
  double to_switch = 0;
  double to_cpu = 0;
  std::vector<double> to_device;  ///< by position
};
/// By position of the device. A link to a GPU that is none of the devices counts nowhere. One whose remote end NVML
/// does not tell (in virtual machines) ends at a switch, unless the GPU has direct links to others.
[[nodiscard]] std::vector<NvlinkSums> nvlink_sums(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// Devices that one NVSwitch fabric joins: all with links to switches, but for pairs that NVML says NVLink does not
/// join.
[[nodiscard]] std::vector<std::vector<std::size_t>> nvlink_switches(const std::vector<DeviceProbe>& devices,
                                                                    const std::vector<NvlinkSums>& sums,
                                                                    const NvmlReport& nvml);

/// Devices and network cards that reach their package through one PCIe switch, or several below one root port.
struct SharedPcie {
  std::vector<std::size_t> devices;  ///< by position; at least one
  std::vector<int> nics;             ///< vertices; with the devices at least two
  double bandwidth = 0;              ///< of the link to the package, bytes a second in one direction; 0 where unknown
};
[[nodiscard]] std::vector<SharedPcie> shared_pcie(const HostProbe& host, const std::vector<DeviceProbe>& devices,
                                                  const NvmlReport& nvml);

/// NvmlGpu::fabric where all GPUs of a node are in the same one, or empty.
[[nodiscard]] std::string fabric_of(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

}  // namespace halocline::machine

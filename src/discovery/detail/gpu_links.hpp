// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "discovery/probe.hpp"

// How the devices of a node are connected. Devices are given by their position in a list, because they are not vertices
// yet. Pure functions from reports to values.
namespace halocline::machine {

/// Bandwidths summed over NVLink links, bytes a second in one direction; 0 if there are no links.
struct NvlinkSums {
  double to_switch = 0;
  double to_cpu = 0;
  std::vector<double> to_device;  ///< by position
};
/// By position of the device. Links to a GPU that is not in the list are not counted. A link whose remote end NVML does
/// not report (in virtual machines) is taken to end at a switch, unless the GPU has direct links to others.
[[nodiscard]] std::vector<NvlinkSums> nvlink_sums(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

/// Devices joined by one NVSwitch fabric: all devices with links to switches, except pairs that NVML reports as not
/// joined by NVLink.
[[nodiscard]] std::vector<std::vector<std::size_t>> nvlink_switches(const std::vector<DeviceProbe>& devices,
                                                                    const std::vector<NvlinkSums>& sums,
                                                                    const NvmlReport& nvml);

/// Devices and network cards that reach their package through one PCIe switch, or through several below one root port.
struct SharedPcie {
  std::vector<std::size_t> devices;  ///< by position; at least one
  std::vector<int> nics;             ///< vertices; at least two together with the devices
  double bandwidth = 0;              ///< of the link to the package, bytes a second in one direction; 0 if unknown
};
[[nodiscard]] std::vector<SharedPcie> shared_pcie(const HostProbe& host, const std::vector<DeviceProbe>& devices,
                                                  const NvmlReport& nvml);

/// Returns NvmlGpu::fabric if it is the same for all GPUs of a node, otherwise an empty string.
[[nodiscard]] std::string fabric_of(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml);

}  // namespace halocline::machine

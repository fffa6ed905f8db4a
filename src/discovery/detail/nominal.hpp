// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rates that the map contains until they are measured: hwloc and the operating system report none of them, NVML reports
// some. They are all in one place, so that every assumption can be read and questioned.
namespace halocline::machine::nominal {

struct Rate {
  double bandwidth;  ///< bytes a second, one direction
  double latency;    ///< seconds
};

// clang-format off
// | link                   | bandwidth | from                                                                |
// |------------------------|-----------|---------------------------------------------------------------------|
// | NUMA node - package    | 100 GB/s  | assumed: about 5 channels DDR4-2666 at 21.3 GB/s (JESD79-4)         |
// | package - package      | 41.6 GB/s | assumed: two UPI links, 10.4 GT/s x 2 bytes each                    |
// | host device - NUMA node| 10 GB/s   | assumed: memcpy of one core                                         |
// | GPU - package          | 25 GB/s   | where NVML does not tell: PCIe 4.0 x16, about 80 % for payload      |
// | GPU's own memory       | 900 GB/s  | where NVML does not tell: one generation of HBM2 (V100: 900 GB/s)   |
// | NVLink, each link      | 25 GB/s   | where NVML tells neither speed nor generation: NVLink 2.0 to 4.0    |
// | NIC - package          | 12.5 GB/s | assumed: one 100 Gbit/s port, where hwloc has no PCIe link speed    |
// clang-format on
// Latencies are assumed, correct to the order of magnitude: 0.1 us for memory and packages, 1 us for PCIe (half of it
// on each side of a switch), 0.7 us for NVLink, 0.5 us on each side of an NVSwitch.
inline constexpr Rate numa{100e9, 0.1e-6};
inline constexpr Rate inter_package{41.6e9, 0.1e-6};
inline constexpr Rate host_device{10e9, 0.1e-6};
inline constexpr Rate gpu{25e9, 1e-6};
inline constexpr Rate gpu_memory{900e9, 0.5e-6};
inline constexpr Rate nvlink{25e9, 0.7e-6};
inline constexpr Rate nic{12.5e9, 1e-6};
inline constexpr double nvswitch_latency = 0.5e-6;
inline constexpr double pci_switch_latency = 0.5e-6;

}  // namespace halocline::machine::nominal

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

// The facts that NVML reports about the GPUs of a node, unchanged. attach() makes vertices and links of them.
namespace halocline::machine {

/// NVML may not know, and drivers differ in what they can be asked.
enum class Answer : int { unknown, no, yes };

/// An active NVLink link of a GPU.
struct NvmlLink {
  enum class Remote : int { unknown, gpu, cpu, link_switch };
  Remote remote = Remote::unknown;
  std::string remote_pci;        ///< as NvmlGpu::pci; empty where unknown
  int version = 0;               ///< NVML's number of the NVLink generation; 0 where unknown
  int megabytes_per_second = 0;  ///< of one direction on the line, coding included; 0 where unknown
  friend bool operator==(const NvmlLink&, const NvmlLink&) = default;
};

struct NvmlGpu {
  std::string uuid;
  std::string pci;           ///< "0000:1b:00.0"
  std::vector<int> numa;     ///< the operating system's numbers of the NUMA nodes that are near
  std::vector<int> cpus;     ///< the operating system's numbers of the processing units that are near
  int pcie_generation = 0;   ///< the most that GPU and slot can do together; 0 where unknown
  int pcie_lanes = 0;        ///< likewise
  int memory_clock_mhz = 0;  ///< the highest; 0 where unknown
  int memory_bus_bits = 0;   ///< 0 where unknown
  std::vector<NvmlLink> links;
  /// The same for GPUs, of any node, that NVLink joins into one fabric; empty where there is none, or it is not up.
  std::string fabric;
  friend bool operator==(const NvmlGpu&, const NvmlGpu&) = default;
};

/// What two GPUs have in common. Answers hold for both directions.
struct NvmlPair {
  enum class Ancestor : int { unknown, board, pci_switch, pci_switches, host_bridge, numa, node };
  std::string a;  ///< uuid
  std::string b;
  Ancestor ancestor = Ancestor::unknown;
  Answer load_store = Answer::unknown;  ///< each can read and write the other's memory
  Answer nvlink = Answer::unknown;      ///< and does it over NVLink
  friend bool operator==(const NvmlPair&, const NvmlPair&) = default;
};

struct NvmlReport {
  std::vector<NvmlGpu> gpus;
  std::vector<NvmlPair> pairs;
  std::string driver;   ///< version of the driver; empty where NVML was not there to ask
  std::string why_not;  ///< why NVML was not asked, or found nothing; empty where it did
  friend bool operator==(const NvmlReport&, const NvmlReport&) = default;

  /// Null where NVML did not see the GPU.
  [[nodiscard]] const NvmlGpu* gpu(const std::string& uuid) const;
  /// In whichever order; all unknown where NVML did not see both.
  [[nodiscard]] NvmlPair pair(const std::string& a, const std::string& b) const;
};

/// The union of what the processes of a node were told: in a container a process may see some of the GPUs only. What is
/// in several reports is taken from the first.
[[nodiscard]] NvmlReport merge(const std::vector<NvmlReport>& reports);

/// For MachineMap::sources. Throws nothing; if NVML was not queried, the text states it.
[[nodiscard]] std::string source(const NvmlReport& report);

// Nominal rates from what NVML tells, bytes a second; 0 where it tells too little.

/// One direction, less what the line's coding takes.
[[nodiscard]] double nvlink_bandwidth(const NvmlLink& link);
/// One direction, less what the line's coding takes.
[[nodiscard]] double pcie_bandwidth(const NvmlGpu& gpu);
/// Read and written together; two transfers a clock.
[[nodiscard]] double memory_bandwidth(const NvmlGpu& gpu);

}  // namespace halocline::machine

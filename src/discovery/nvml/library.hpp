// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "discovery/nvml/abi.hpp"

namespace halocline::machine::nvml {

/// NVML, started for the lifetime of this object; it stays loaded. Functions that a driver's NVML lacks are null. Several
/// objects may exist at the same time; NVML counts them.
class Library {
 public:
  /// Never throws; if usable() is false afterwards, why_not() returns the reason.
  explicit Library(const char* file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] bool usable() const { return why_not_.empty(); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  nvmlErrorString* error_string = nullptr;
  nvmlSystemGetDriverVersion* driver_version = nullptr;
  nvmlDeviceGetCount_v2* count = nullptr;
  nvmlDeviceGetHandleByIndex_v2* handle = nullptr;
  nvmlDeviceGetUUID* uuid = nullptr;
  nvmlDeviceGetPciInfo_v3* pci_info = nullptr;
  nvmlDeviceGetMemoryAffinity* memory_affinity = nullptr;
  nvmlDeviceGetCpuAffinity* cpu_affinity = nullptr;
  nvmlDeviceGetMaxPcieLinkGeneration* max_pcie_generation = nullptr;
  nvmlDeviceGetMaxPcieLinkWidth* max_pcie_width = nullptr;
  nvmlDeviceGetCurrPcieLinkGeneration* current_pcie_generation = nullptr;
  nvmlDeviceGetCurrPcieLinkWidth* current_pcie_width = nullptr;
  nvmlDeviceGetMaxClockInfo* max_clock = nullptr;
  nvmlDeviceGetMemoryBusWidth* memory_bus_width = nullptr;
  nvmlDeviceGetNvLinkState* link_state = nullptr;
  nvmlDeviceGetNvLinkVersion* link_version = nullptr;
  nvmlDeviceGetNvLinkRemoteDeviceType* link_remote_type = nullptr;
  nvmlDeviceGetNvLinkRemotePciInfo_v2* link_remote_pci = nullptr;
  nvmlDeviceGetFieldValues* field_values = nullptr;
  nvmlDeviceGetP2PStatus* p2p_status = nullptr;
  nvmlDeviceGetTopologyCommonAncestor* common_ancestor = nullptr;
  nvmlDeviceGetGpuFabricInfoV* fabric_info = nullptr;
  nvmlDeviceGetHandleByUUID* handle_by_uuid = nullptr;
  nvmlDeviceGetTotalEnergyConsumption* total_energy = nullptr;
  nvmlDeviceGetPowerUsage* power_usage = nullptr;
  nvmlDeviceGetEnforcedPowerLimit* power_limit = nullptr;

 private:
  nvmlShutdown* shutdown_ = nullptr;
  bool started_ = false;
  std::string why_not_;
};

}  // namespace halocline::machine::nvml

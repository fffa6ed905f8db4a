// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml/library.hpp"

#include <fmt/core.h>

#include "core/shared_library.hpp"

namespace halocline::machine::nvml {

Library::Library(const char* path) {
  SharedLibrary file("NVML", path);
  nvmlInit_v2* start = nullptr;
  file.need(start, "nvmlInit_v2");
  file.need(shutdown_, "nvmlShutdown");
  file.need(count, "nvmlDeviceGetCount_v2");
  file.need(handle, "nvmlDeviceGetHandleByIndex_v2");
  file.need(uuid, "nvmlDeviceGetUUID");
  file.need(pci_info, "nvmlDeviceGetPciInfo_v3");
  file.find(error_string, "nvmlErrorString");
  file.find(driver_version, "nvmlSystemGetDriverVersion");
  file.find(memory_affinity, "nvmlDeviceGetMemoryAffinity");
  file.find(cpu_affinity, "nvmlDeviceGetCpuAffinity");
  file.find(max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  file.find(max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  file.find(current_pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  file.find(current_pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  file.find(max_clock, "nvmlDeviceGetMaxClockInfo");
  file.find(memory_bus_width, "nvmlDeviceGetMemoryBusWidth");
  file.find(link_state, "nvmlDeviceGetNvLinkState");
  file.find(link_version, "nvmlDeviceGetNvLinkVersion");
  file.find(link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  file.find(link_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  file.find(field_values, "nvmlDeviceGetFieldValues");
  file.find(p2p_status, "nvmlDeviceGetP2PStatus");
  file.find(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  file.find(fabric_info, "nvmlDeviceGetGpuFabricInfoV");
  file.find(handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  file.find(total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  file.find(power_usage, "nvmlDeviceGetPowerUsage");
  file.find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  why_not_ = file.usable().why_not;
  if (!usable()) return;
  const Return status = start();
  started_ = status == success;
  if (!started_) {
    why_not_ = fmt::format("NVML did not start: {}",
                           error_string == nullptr ? fmt::format("error {}", status) : error_string(status));
  }
}

Library::~Library() {
  if (started_) shutdown_();
}

}  // namespace halocline::machine::nvml

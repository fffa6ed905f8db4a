// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml/library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

namespace halocline::machine::nvml {
namespace {

std::string last_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown error" : text;
}

}  // namespace

Library::Library(const char* file) : file_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (file_ == nullptr) {
    why_not_ = fmt::format("NVML was not found: {}", last_error());
    return;
  }
  const auto find = [this](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(file_, name));
    return function != nullptr;
  };
  const auto need = [&](auto*& function, const char* name) {
    if (!find(function, name) && why_not_.empty()) why_not_ = fmt::format("NVML is too old: it has no {}", name);
  };
  nvmlInit_v2* start = nullptr;
  need(start, "nvmlInit_v2");
  need(shutdown_, "nvmlShutdown");
  need(count, "nvmlDeviceGetCount_v2");
  need(handle, "nvmlDeviceGetHandleByIndex_v2");
  need(uuid, "nvmlDeviceGetUUID");
  need(pci_info, "nvmlDeviceGetPciInfo_v3");
  find(error_string, "nvmlErrorString");
  find(driver_version, "nvmlSystemGetDriverVersion");
  find(memory_affinity, "nvmlDeviceGetMemoryAffinity");
  find(cpu_affinity, "nvmlDeviceGetCpuAffinity");
  find(max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  find(current_pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(current_pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(max_clock, "nvmlDeviceGetMaxClockInfo");
  find(memory_bus_width, "nvmlDeviceGetMemoryBusWidth");
  find(link_state, "nvmlDeviceGetNvLinkState");
  find(link_version, "nvmlDeviceGetNvLinkVersion");
  find(link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  find(link_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(field_values, "nvmlDeviceGetFieldValues");
  find(p2p_status, "nvmlDeviceGetP2PStatus");
  find(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(fabric_info, "nvmlDeviceGetGpuFabricInfoV");
  find(handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  find(total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(power_usage, "nvmlDeviceGetPowerUsage");
  find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  if (!why_not_.empty()) return;
  const Return status = start();
  started_ = status == success;
  if (!started_) {
    why_not_ = fmt::format("NVML did not start: {}",
                           error_string == nullptr ? fmt::format("error {}", status) : error_string(status));
  }
}

Library::~Library() {
  if (started_) shutdown_();
  if (file_ != nullptr) ::dlclose(file_);
}

}  // namespace halocline::machine::nvml

// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/detail/gpu_links.hpp"

#include <algorithm>

#include "discovery/detail/nominal.hpp"

namespace halocline::machine {
namespace {

double link_bandwidth(const NvmlLink& link) {
  const double told = nvlink_bandwidth(link);
  return told > 0 ? told : nominal::nvlink.bandwidth;
}

/// By position; null if NVML does not know the device.
std::vector<const NvmlGpu*> gpus_of(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml) {
  std::vector<const NvmlGpu*> gpus;
  gpus.reserve(devices.size());
  for (const DeviceProbe& device : devices) gpus.push_back(nvml.gpu(device.uuid));
  return gpus;
}

NvlinkSums sums_of(const NvmlGpu& gpu, const std::vector<const NvmlGpu*>& gpus, const NvmlReport& nvml) {
  NvlinkSums sums;
  sums.to_device.assign(gpus.size(), 0);
  double to_unknown = 0;
  bool direct = false;
  for (const NvmlLink& link : gpu.links) {
    const double bandwidth = link_bandwidth(link);
    const auto remote = [&](const NvmlGpu& other) { return !other.pci.empty() && other.pci == link.remote_pci; };
    if (link.remote == NvmlLink::Remote::link_switch) {
      sums.to_switch += bandwidth;
    } else if (link.remote == NvmlLink::Remote::cpu) {
      sums.to_cpu += bandwidth;
    } else if (link.remote == NvmlLink::Remote::gpu || std::any_of(nvml.gpus.begin(), nvml.gpus.end(), remote)) {
      direct = true;
      for (std::size_t d = 0; d < gpus.size(); ++d) {
        if (gpus[d] != nullptr && gpus[d] != &gpu && remote(*gpus[d])) sums.to_device[d] += bandwidth;
      }
    } else {
      to_unknown += bandwidth;
    }
  }
  if (!direct) sums.to_switch += to_unknown;
  return sums;
}

}  // namespace

std::vector<NvlinkSums> nvlink_sums(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml) {
  const std::vector<const NvmlGpu*> gpus = gpus_of(devices, nvml);
  std::vector<NvlinkSums> all;
  for (const NvmlGpu* gpu : gpus) {
    if (gpu != nullptr) {
      all.push_back(sums_of(*gpu, gpus, nvml));
    } else {
      all.push_back({0, 0, std::vector<double>(devices.size(), 0)});
    }
  }
  return all;
}

std::vector<std::vector<std::size_t>> nvlink_switches(const std::vector<DeviceProbe>& devices,
                                                      const std::vector<NvlinkSums>& sums, const NvmlReport& nvml) {
  std::vector<std::vector<std::size_t>> switches;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (sums[d].to_switch <= 0) continue;
    const auto joins = [&](const std::vector<std::size_t>& others) {
      return std::none_of(others.begin(), others.end(), [&](std::size_t e) {
        return nvml.pair(devices[d].uuid, devices[e].uuid).nvlink == Answer::no;
      });
    };
    const auto found = std::find_if(switches.begin(), switches.end(), joins);
    if (found == switches.end()) {
      switches.push_back({d});
    } else {
      found->push_back(d);
    }
  }
  return switches;
}

std::vector<SharedPcie> shared_pcie(const HostProbe& host, const std::vector<DeviceProbe>& devices,
                                    const NvmlReport& nvml) {
  struct Group {
    std::string root_port;  ///< empty if hwloc does not know it
    SharedPcie members;
  };
  std::vector<Group> groups;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const NvmlGpu* gpu = nvml.gpu(devices[d].uuid);
    if (gpu == nullptr) continue;
    const auto place = std::find_if(host.pci.begin(), host.pci.end(),
                                    [&](const PciPlace& p) { return p.nic < 0 && p.id == gpu->pci; });
    const std::string root_port = place == host.pci.end() ? "" : place->root_port;
    const auto belongs = [&](const Group& group) {
      if (!root_port.empty() && !group.root_port.empty()) return root_port == group.root_port;
      const auto ancestor = nvml.pair(devices[d].uuid, devices[group.members.devices.front()].uuid).ancestor;
      return ancestor == NvmlPair::Ancestor::board || ancestor == NvmlPair::Ancestor::pci_switch ||
             ancestor == NvmlPair::Ancestor::pci_switches;
    };
    auto group = std::find_if(groups.begin(), groups.end(), belongs);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{});
    group->members.devices.push_back(d);
    if (group->root_port.empty() && !root_port.empty()) {
      group->root_port = root_port;
      group->members.bandwidth = place->root_port_bandwidth;
    }
  }
  for (const PciPlace& place : host.pci) {
    if (place.nic < 0 || place.root_port.empty()) continue;
    for (Group& group : groups) {
      if (group.root_port == place.root_port) group.members.nics.push_back(place.nic);
    }
  }
  std::vector<SharedPcie> shared;
  for (Group& group : groups) {
    if (group.members.devices.size() + group.members.nics.size() > 1) shared.push_back(std::move(group.members));
  }
  return shared;
}

std::string fabric_of(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml) {
  std::string fabric;
  for (const DeviceProbe& device : devices) {
    const NvmlGpu* gpu = nvml.gpu(device.uuid);
    if (gpu == nullptr || gpu->fabric.empty()) return {};
    if (fabric.empty()) fabric = gpu->fabric;
    if (fabric != gpu->fabric) return {};
  }
  return fabric;
}

}  // namespace halocline::machine

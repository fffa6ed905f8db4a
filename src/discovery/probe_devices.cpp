// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <array>

#include "discovery/discover.hpp"
#include "discovery/probe.hpp"

namespace halocline::machine {

std::vector<DeviceProbe> probe_devices(const device::Backend& backend) {
  std::vector<DeviceProbe> devices;
  const int count = backend.device_count();
  for (int d = 0; d < count; ++d) {
    const device::DeviceInfo info = backend.info(d);
    devices.push_back({backend.kind(), info.name, info.uuid, info.memory_bytes, info.numa, {}, {}});
  }
  // Host memory is one load/store domain, even if a test forbids peer access between its devices.
  if (backend.kind() == DeviceKind::host) return devices;
  for (int d = 0; d < count; ++d) {
    for (int e = 0; e < count; ++e) {
      if (d == e) continue;
      const bool yes = backend.peer_access(d, e).yes && backend.peer_access(e, d).yes;
      DeviceProbe& device = devices[static_cast<std::size_t>(d)];
      (yes ? device.access : device.no_access).push_back(devices[static_cast<std::size_t>(e)].uuid);
    }
  }
  return devices;
}

NvmlReport probe_links(const std::vector<DeviceProbe>& devices) {
  const auto gpu = [](const DeviceProbe& device) { return device.kind == DeviceKind::cuda; };
  return std::any_of(devices.begin(), devices.end(), gpu) ? probe_nvml() : NvmlReport{};
}

std::vector<std::string> device_sources() {
  return {"devices: asked of the backend; their links: nominal, not measured"};
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "node";
  return name.data();
}

NodeType probe_node(const device::Backend& backend) {
  HostProbe host = probe_host();
  const std::vector<DeviceProbe> devices = probe_devices(backend);
  attach(host, devices, probe_links(devices));
  return host.type;
}

}  // namespace halocline::machine

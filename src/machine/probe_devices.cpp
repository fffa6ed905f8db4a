#include <unistd.h>

#include <algorithm>
#include <array>

#include "halocline/core/error.hpp"
#include "halocline/machine/discover.hpp"
#include "machine/nominal.hpp"
#include "machine/probe.hpp"

namespace halocline::machine {
namespace {

/// The vertex of an operating system's NUMA number; devices that do not know theirs are spread evenly, in
/// order.
int numa_vertex(const HostProbe& host, const DeviceProbe& device, std::size_t index, std::size_t count) {
  for (const auto& [number, vertex] : host.numa) {
    if (device.numa >= 0 && number == device.numa) return vertex;
  }
  return host.numa[index * host.numa.size() / count].second;
}

int package_of(const NodeType& type, int numa) {
  for (const Link& link : type.links) {
    const bool to_package = type.vertices[static_cast<std::size_t>(link.b)].kind == VertexKind::package;
    if (link.a == numa && to_package) return link.b;
  }
  throw InternalError("a NUMA node without a package");
}

/// The lowest domain of whose members none is known to be out of reach. Who was not asked (another process's
/// device) is taken to be in reach; it is tried for real before anything depends on it.
std::vector<int> load_store_domains(const std::vector<DeviceProbe>& devices) {
  const auto apart = [](const DeviceProbe& a, const DeviceProbe& b) {
    const auto lists = [](const DeviceProbe& x, const DeviceProbe& y) {
      return std::find(x.no_access.begin(), x.no_access.end(), y.uuid) != x.no_access.end();
    };
    return a.kind != b.kind || lists(a, b) || lists(b, a);
  };
  std::vector<int> domains;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const auto fits = [&](int domain) {
      for (std::size_t e = 0; e < d; ++e) {
        if (domains[e] == domain && apart(devices[d], devices[e])) return false;
      }
      return true;
    };
    int domain = 0;
    while (!fits(domain)) ++domain;
    domains.push_back(domain);
  }
  return domains;
}

}  // namespace

std::vector<DeviceProbe> probe_devices(const device::Backend& backend) {
  std::vector<DeviceProbe> devices;
  const int count = backend.device_count();
  for (int d = 0; d < count; ++d) {
    const device::DeviceInfo info = backend.info(d);
    devices.push_back({backend.kind(), info.name, info.uuid, info.memory_bytes, info.numa, {}});
  }
  // Host memory is one load/store domain whatever peer access a test forbids between its devices.
  if (backend.kind() == device::BackendKind::host) return devices;
  for (int d = 0; d < count; ++d) {
    for (int e = 0; e < count; ++e) {
      if (d == e || (backend.peer_access(d, e).yes && backend.peer_access(e, d).yes)) continue;
      devices[static_cast<std::size_t>(d)].no_access.push_back(devices[static_cast<std::size_t>(e)].uuid);
    }
  }
  return devices;
}

std::vector<std::string> device_sources() {
  return {"devices: asked of the backend; their links: nominal, not measured"};
}

void attach(HostProbe& host, const std::vector<DeviceProbe>& devices) {
  NodeType& type = host.type;
  const std::vector<int> domains = load_store_domains(devices);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const DeviceProbe& device = devices[d];
    const int vertex = static_cast<int>(type.vertices.size());
    const int numa = numa_vertex(host, device, d, devices.size());
    // A host device has no model to tell, and its rank's number for it would mislead within the node.
    const bool is_host = device.kind == device::BackendKind::host;
    const std::string name = is_host ? "host device " + std::to_string(d) : device.name;
    type.vertices.push_back({VertexKind::device, name, device.memory_bytes, 0, domains[d]});
    if (is_host) {
      type.links.push_back(
          {vertex, numa, LinkKind::memory, nominal::host_device.bandwidth, nominal::host_device.latency});
    } else {
      type.links.push_back(
          {vertex, vertex, LinkKind::memory, nominal::gpu_memory.bandwidth, nominal::gpu_memory.latency});
      type.links.push_back(
          {vertex, package_of(type, numa), LinkKind::pcie, nominal::gpu.bandwidth, nominal::gpu.latency});
    }
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "node";
  return name.data();
}

NodeType probe_node(const device::Backend& backend) {
  HostProbe host = probe_host();
  attach(host, probe_devices(backend));
  return host.type;
}

}  // namespace halocline::machine

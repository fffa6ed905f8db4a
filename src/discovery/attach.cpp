// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "discovery/detail/gpu_links.hpp"
#include "discovery/detail/nominal.hpp"
#include "discovery/probe.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

int package_of(const NodeType& type, int numa) {
  for (const Link& link : type.links) {
    const bool to_package = type.vertices[static_cast<std::size_t>(link.b)].kind == VertexKind::package;
    if (link.a == numa && to_package) return link.b;
  }
  throw InternalError("a NUMA node without a package");
}

std::optional<int> numa_vertex(const HostProbe& host, int number) {
  for (const auto& [known, vertex] : host.numa) {
    if (number >= 0 && known == number) return vertex;
  }
  return std::nullopt;
}

/// Spreads devices with unknown NUMA node evenly, in order.
int numa_by_order(const HostProbe& host, std::size_t index, std::size_t count) {
  return host.numa[index * host.numa.size() / count].second;
}

/// The NUMA node whose processing units are near the GPU, where it is one.
std::optional<int> numa_by_cpus(const HostProbe& host, const NvmlGpu& gpu) {
  std::optional<int> numa;
  for (const int cpu : gpu.cpus) {
    const auto at = static_cast<std::size_t>(cpu);
    const int vertex = cpu >= 0 && at < host.numa_of_cpu.size() ? host.numa_of_cpu[at] : -1;
    if (vertex < 0 || numa == vertex) continue;
    if (numa) return std::nullopt;
    numa = vertex;
  }
  return numa;
}

/// Returns the package that a GPU is plugged into, from the first source that has it: the operating system, NVML, hwloc;
/// otherwise by order.
int gpu_package(const HostProbe& host, const DeviceProbe& device, const NvmlGpu* gpu, std::size_t index,
                std::size_t count) {
  if (const auto numa = numa_vertex(host, device.numa)) return package_of(host.type, *numa);
  if (gpu != nullptr) {
    if (gpu->numa.size() == 1) {
      if (const auto numa = numa_vertex(host, gpu->numa.front())) return package_of(host.type, *numa);
    }
    for (const PciPlace& place : host.pci) {
      if (place.nic < 0 && place.id == gpu->pci && place.package >= 0) return place.package;
    }
    if (const auto numa = numa_by_cpus(host, *gpu)) return package_of(host.type, *numa);
  }
  return package_of(host.type, numa_by_order(host, index, count));
}

/// "NVSwitch", or "NVSwitch 1" if there are several.
std::string numbered(const char* what, std::size_t index, std::size_t count) {
  return count == 1 ? what : fmt::format("{} {}", what, index);
}

class Attachment {
 public:
  Attachment(HostProbe& host, const std::vector<DeviceProbe>& devices, const NvmlReport& nvml)
      : host_(host),
        type_(host.type),
        devices_(devices),
        nvml_(nvml),
        sums_(nvlink_sums(devices, nvml)),
        pci_switch_(devices.size(), -1),
        link_switch_(devices.size(), -1) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const bool gpu = devices[d].kind == DeviceKind::cuda;
      packages_.push_back(gpu ? gpu_package(host, devices[d], nvml.gpu(devices[d].uuid), d, devices.size()) : -1);
    }
  }

  void run() {
    add_pci_switches();
    add_link_switches();
    first_ = static_cast<int>(type_.vertices.size());
    const std::vector<int> domains = load_store_domains(devices_, nvml_);
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (devices_[d].kind == DeviceKind::host) {
        add_host_device(d, domains[d]);
      } else {
        add_gpu(d, domains[d]);
      }
    }
    add_direct_links();
  }

 private:
  int add_vertex(Vertex vertex) {
    type_.vertices.push_back(std::move(vertex));
    return static_cast<int>(type_.vertices.size()) - 1;
  }

  [[nodiscard]] double pcie_of(std::size_t d) const {
    const NvmlGpu* gpu = nvml_.gpu(devices_[d].uuid);
    const double told = gpu == nullptr ? 0 : pcie_bandwidth(*gpu);
    return told > 0 ? told : nominal::gpu.bandwidth;
  }

  void add_pci_switches() {
    const std::vector<SharedPcie> shared = shared_pcie(host_, devices_, nvml_);
    for (std::size_t s = 0; s < shared.size(); ++s) {
      const int vertex = add_vertex({VertexKind::pci_switch, numbered("PCIe switch", s, shared.size()), 0, 0, -1});
      double widest = 0;
      for (const std::size_t d : shared[s].devices) {
        pci_switch_[d] = vertex;
        widest = std::max(widest, pcie_of(d));
      }
      const double bandwidth = shared[s].bandwidth > 0 ? shared[s].bandwidth : widest;
      const int package = packages_[shared[s].devices.front()];
      type_.links.push_back({vertex, package, LinkKind::pcie, bandwidth, nominal::pci_switch_latency});
      for (Link& link : type_.links) {
        const auto& nics = shared[s].nics;
        if (link.kind != LinkKind::pcie || std::find(nics.begin(), nics.end(), link.a) == nics.end()) continue;
        link.b = vertex;
        link.latency = nominal::pci_switch_latency;
      }
    }
  }

  void add_link_switches() {
    const auto switches = nvlink_switches(devices_, sums_, nvml_);
    for (std::size_t s = 0; s < switches.size(); ++s) {
      const int vertex = add_vertex({VertexKind::link_switch, numbered("NVSwitch", s, switches.size()), 0, 0, -1});
      for (const std::size_t d : switches[s]) link_switch_[d] = vertex;
    }
  }

  void add_host_device(std::size_t d, int domain) {
    // A host device has no model to report, and the number that it has within its rank would mislead within the node.
    const int vertex =
        add_vertex({VertexKind::device, fmt::format("host device {}", d), devices_[d].memory_bytes, 0, domain});
    const int numa = numa_vertex(host_, devices_[d].numa).value_or(numa_by_order(host_, d, devices_.size()));
    type_.links.push_back(
        {vertex, numa, LinkKind::memory, nominal::host_device.bandwidth, nominal::host_device.latency});
  }

  void add_gpu(std::size_t d, int domain) {
    const int vertex = add_vertex({VertexKind::device, devices_[d].name, devices_[d].memory_bytes, 0, domain});
    const NvmlGpu* gpu = nvml_.gpu(devices_[d].uuid);
    const double memory = gpu == nullptr ? 0 : memory_bandwidth(*gpu);
    type_.links.push_back({vertex, vertex, LinkKind::memory, memory > 0 ? memory : nominal::gpu_memory.bandwidth,
                           nominal::gpu_memory.latency});
    if (link_switch_[d] >= 0) {
      type_.links.push_back({vertex, link_switch_[d], LinkKind::nvlink, sums_[d].to_switch, nominal::nvswitch_latency});
    }
    if (sums_[d].to_cpu > 0) {
      type_.links.push_back({vertex, packages_[d], LinkKind::nvlink, sums_[d].to_cpu, nominal::nvlink.latency});
    }
    const bool shared = pci_switch_[d] >= 0;
    type_.links.push_back({vertex, shared ? pci_switch_[d] : packages_[d], LinkKind::pcie, pcie_of(d),
                           shared ? nominal::pci_switch_latency : nominal::gpu.latency});
  }

  /// Both ends count the links between them; if they disagree, the lower count is certain. NVML may report nothing
  /// about the GPU at one end.
  void add_direct_links() {
    for (std::size_t a = 0; a < devices_.size(); ++a) {
      for (std::size_t b = a + 1; b < devices_.size(); ++b) {
        const auto [low, high] = std::minmax(sums_[a].to_device[b], sums_[b].to_device[a]);
        const double bandwidth = low > 0 ? low : high;
        if (bandwidth <= 0) continue;
        type_.links.push_back({first_ + static_cast<int>(a), first_ + static_cast<int>(b), LinkKind::nvlink, bandwidth,
                               nominal::nvlink.latency});
      }
    }
  }

  HostProbe& host_;
  NodeType& type_;
  const std::vector<DeviceProbe>& devices_;
  const NvmlReport& nvml_;
  std::vector<NvlinkSums> sums_;
  std::vector<int> packages_;     ///< vertex, by position of the device; -1 for host devices
  std::vector<int> pci_switch_;   ///< vertex, by position of the device; -1: none
  std::vector<int> link_switch_;  ///< likewise
  int first_ = 0;                 ///< vertex of the first device
};

}  // namespace

std::vector<int> load_store_domains(const std::vector<DeviceProbe>& devices, const NvmlReport& nvml) {
  const auto has = [](const std::vector<std::string>& uuids, const DeviceProbe& device) {
    return std::find(uuids.begin(), uuids.end(), device.uuid) != uuids.end();
  };
  const auto apart = [&](const DeviceProbe& a, const DeviceProbe& b) {
    if (a.kind != b.kind || has(a.no_access, b) || has(b.no_access, a)) return true;
    if (has(a.access, b) || has(b.access, a)) return false;
    return nvml.pair(a.uuid, b.uuid).load_store == Answer::no;
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

void attach(HostProbe& host, const std::vector<DeviceProbe>& devices, const NvmlReport& nvml) {
  Attachment(host, devices, nvml).run();
}

}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>

#include "discovery/detail/nominal.hpp"
#include "discovery/probe.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

#define HALOCLINE_HWLOC(call)                                                                               \
  do {                                                                                                      \
    if ((call) != 0) throw ResourceError(fmt::format("hwloc: {} failed: {}", #call, std::strerror(errno))); \
  } while (false)

Topology load() {
  hwloc_topology_t raw = nullptr;
  HALOCLINE_HWLOC(hwloc_topology_init(&raw));
  Topology topology(raw, &hwloc_topology_destroy);
  // GPUs are handled by the backend; these components would start their drivers, which is unnecessary and takes time.
  for (const char* component : {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  HALOCLINE_HWLOC(hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT));
  HALOCLINE_HWLOC(hwloc_topology_load(raw));
  return topology;
}

/// Returns the cores in a set of processing units, or the units themselves if hwloc reports no cores.
int cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t cpus) {
  if (cpus == nullptr) return 0;
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cpus, HWLOC_OBJ_CORE);
  return std::max(cores > 0 ? cores : hwloc_get_nbobjs_inside_cpuset_by_type(topology, cpus, HWLOC_OBJ_PU), 0);
}

struct Package {
  int vertex;
  hwloc_const_cpuset_t cpus;
};

/// Returns hwloc's packages, or the whole machine as one package if hwloc reports none (some virtual machines and
/// containers).
std::vector<Package> add_packages(hwloc_topology_t topology, NodeType& type) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, o)) != nullptr;) {
    objects.push_back(o);
  }
  if (objects.empty()) objects.push_back(hwloc_get_root_obj(topology));
  std::vector<Package> packages;
  for (const hwloc_obj_t object : objects) {
    const int vertex = static_cast<int>(type.vertices.size());
    type.vertices.push_back(
        {VertexKind::package, fmt::format("package {}", packages.size()), 0, cores_in(topology, object->cpuset), -1});
    for (const Package& other : packages) {
      type.links.push_back({other.vertex, vertex, LinkKind::inter_package, nominal::inter_package.bandwidth,
                            nominal::inter_package.latency});
    }
    packages.push_back({vertex, object->cpuset});
  }
  return packages;
}

/// A processing unit keeps the first NUMA node that it is found in, because a NUMA node without cores repeats the cores
/// of its parent.
void add_cpus(hwloc_const_cpuset_t cpus, int vertex, std::vector<int>& numa_of_cpu) {
  if (cpus == nullptr || hwloc_bitmap_last(cpus) < 0) return;  // empty or infinite
  for (int cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu)) {
    const auto at = static_cast<std::size_t>(cpu);
    if (at >= numa_of_cpu.size()) numa_of_cpu.resize(at + 1, -1);
    if (numa_of_cpu[at] < 0) numa_of_cpu[at] = vertex;
  }
}

/// Adds NUMA nodes with memory, each linked to the packages that contain its cores. In hwloc, a NUMA node without cores
/// (HBM, CXL) has the cpuset of its parent; one that matches no package is linked to the first package.
void add_numa(hwloc_topology_t topology, const std::vector<Package>& packages, HostProbe& host) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    const auto bytes = static_cast<std::int64_t>(o->attr->numanode.local_memory);
    if (bytes == 0) continue;
    const int vertex = static_cast<int>(host.type.vertices.size());
    host.type.vertices.push_back(
        {VertexKind::numa, fmt::format("NUMA node {}", o->os_index), bytes, cores_in(topology, o->cpuset), -1});
    host.numa.emplace_back(static_cast<int>(o->os_index), vertex);
    add_cpus(o->cpuset, vertex, host.numa_of_cpu);
    bool linked = false;
    const auto link = [&](const Package& package) {
      host.type.links.push_back(
          {vertex, package.vertex, LinkKind::memory, nominal::numa.bandwidth, nominal::numa.latency});
      linked = true;
    };
    for (const Package& package : packages) {
      if (o->cpuset != nullptr && hwloc_bitmap_intersects(o->cpuset, package.cpus) != 0) link(package);
    }
    if (!linked) link(packages.front());
  }
  if (!host.numa.empty()) return;
  const int vertex = static_cast<int>(host.type.vertices.size());
  host.type.vertices.push_back({VertexKind::numa, "NUMA node 0", 0, host.type.vertices[0].cores, -1});
  host.type.links.push_back(
      {vertex, packages.front().vertex, LinkKind::memory, nominal::numa.bandwidth, nominal::numa.latency});
  host.numa.emplace_back(0, vertex);
}

std::string pci_id(hwloc_obj_t pci) {
  const auto& attributes = pci->attr->pcidev;
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", static_cast<unsigned>(attributes.domain),
                     static_cast<unsigned>(attributes.bus), static_cast<unsigned>(attributes.dev),
                     static_cast<unsigned>(attributes.func));
}

/// hwloc reports GB/s.
double pci_bandwidth(float gigabytes) { return gigabytes > 0 ? static_cast<double>(gigabytes) * 1e9 : 0; }

/// The package whose cores are near a PCI function, or -1.
int package_near(hwloc_topology_t topology, hwloc_obj_t pci, const std::vector<Package>& packages) {
  const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, pci);
  int package = packages.size() == 1 ? packages.front().vertex : -1;
  for (const Package& p : packages) {
    if (near != nullptr && near->cpuset != nullptr && hwloc_bitmap_isincluded(near->cpuset, p.cpus) != 0) {
      package = p.vertex;
    }
  }
  return package;
}

/// Everything below one root port shares the port's link to the package, through one PCIe switch or several.
PciPlace place_of(hwloc_topology_t topology, hwloc_obj_t pci, const std::vector<Package>& packages) {
  PciPlace place;
  place.id = pci_id(pci);
  place.package = package_near(topology, pci, packages);
  for (hwloc_obj_t o = pci->parent; o != nullptr && o->type == HWLOC_OBJ_BRIDGE; o = o->parent) {
    if (o->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI) break;  // the host bridge
    const auto& bridge = o->attr->bridge.upstream.pci;
    place.root_port = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", static_cast<unsigned>(bridge.domain),
                                  static_cast<unsigned>(bridge.bus), static_cast<unsigned>(bridge.dev),
                                  static_cast<unsigned>(bridge.func));
    place.root_port_bandwidth = pci_bandwidth(bridge.linkspeed);
  }
  return place;
}

/// Finds display controllers by their PCI class; whether a backend drives them is determined later.
void add_display_controllers(hwloc_topology_t topology, const std::vector<Package>& packages, HostProbe& host) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_pcidev(topology, o)) != nullptr;) {
    if ((o->attr->pcidev.class_id >> 8) == 0x03) host.pci.push_back(place_of(topology, o, packages));
  }
}

/// Finds network cards: operating-system devices attached to a PCI device. An InfiniBand card is listed as an
/// OpenFabrics and as an Ethernet-like device; it is counted as one card, under the name that communication libraries
/// use (mlx5_0).
void add_nics(hwloc_topology_t topology, const std::vector<Package>& packages, HostProbe& host) {
  struct Card {
    hwloc_obj_t pci;
    std::string name;
    bool fabric;
  };
  std::vector<Card> cards;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_osdev(topology, o)) != nullptr;) {
    const auto kind = o->attr->osdev.type;
    if (kind != HWLOC_OBJ_OSDEV_NETWORK && kind != HWLOC_OBJ_OSDEV_OPENFABRICS) continue;
    hwloc_obj_t pci = o->parent;
    while (pci != nullptr && pci->type != HWLOC_OBJ_PCI_DEVICE) pci = pci->parent;
    if (pci == nullptr) continue;  // a virtual interface
    const bool fabric = kind == HWLOC_OBJ_OSDEV_OPENFABRICS;
    const auto known = std::find_if(cards.begin(), cards.end(), [pci](const Card& c) { return c.pci == pci; });
    if (known == cards.end()) {
      cards.push_back({pci, o->name == nullptr ? "nic" : o->name, fabric});
    } else if (fabric && !known->fabric) {
      *known = {pci, o->name == nullptr ? "nic" : o->name, true};
    }
  }
  for (const Card& card : cards) {
    const int vertex = static_cast<int>(host.type.vertices.size());
    host.type.vertices.push_back({VertexKind::nic, card.name, 0, 0, -1});
    const double told = pci_bandwidth(card.pci->attr->pcidev.linkspeed);
    PciPlace place = place_of(topology, card.pci, packages);
    place.nic = vertex;
    const int package = place.package >= 0 ? place.package : packages.front().vertex;
    host.type.links.push_back(
        {vertex, package, LinkKind::pcie, told > 0 ? told : nominal::nic.bandwidth, nominal::nic.latency});
    host.pci.push_back(std::move(place));
  }
}

}  // namespace

HostProbe probe_host() {
  // Needed if ranks are threads: several threads may use hwloc concurrently, but not libudev and libpciaccess, which it
  // uses.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Topology topology = load();
  HostProbe host;
  host.type.name = "host";
  const std::vector<Package> packages = add_packages(topology.get(), host.type);
  add_numa(topology.get(), packages, host);
  add_nics(topology.get(), packages, host);
  add_display_controllers(topology.get(), packages, host);
  return host;
}

bool have_hwloc() { return true; }

std::vector<std::string> host_sources() {
  return {"packages, NUMA nodes, cores and network cards: found by hwloc",
          "rates between them: nominal (PCIe of a network card: hwloc's link speed where it knows it), not "
          "measured"};
}

}  // namespace halocline::machine

#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>

#include "halocline/core/error.hpp"
#include "machine/nominal.hpp"
#include "machine/probe.hpp"

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
  // GPUs are the backend's business; these components would start their drivers, for nothing and not for free.
  for (const char* component : {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  HALOCLINE_HWLOC(hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT));
  HALOCLINE_HWLOC(hwloc_topology_load(raw));
  return topology;
}

/// Cores in a set of processing units; the units themselves where hwloc knows no cores.
int cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t cpus) {
  if (cpus == nullptr) return 0;
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cpus, HWLOC_OBJ_CORE);
  return std::max(cores > 0 ? cores : hwloc_get_nbobjs_inside_cpuset_by_type(topology, cpus, HWLOC_OBJ_PU), 0);
}

struct Package {
  int vertex;
  hwloc_const_cpuset_t cpus;
};

/// hwloc's packages; the whole machine as one where it knows none (some virtual machines and containers).
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

/// NUMA nodes with memory, each linked to the packages whose cores are its own. One without cores (HBM, CXL)
/// has the cpuset of its parent in hwloc; one that fits nowhere is linked to the first package.
void add_numa(hwloc_topology_t topology, const std::vector<Package>& packages, HostProbe& host) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    const auto bytes = static_cast<std::int64_t>(o->attr->numanode.local_memory);
    if (bytes == 0) continue;
    const int vertex = static_cast<int>(host.type.vertices.size());
    host.type.vertices.push_back(
        {VertexKind::numa, fmt::format("NUMA node {}", o->os_index), bytes, cores_in(topology, o->cpuset), -1});
    host.numa.emplace_back(static_cast<int>(o->os_index), vertex);
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

/// Network cards: operating-system devices behind a PCI device. An InfiniBand card shows up as OpenFabrics and
/// as Ethernet-like device; it is one card, by the name that communication libraries use (mlx5_0).
void add_nics(hwloc_topology_t topology, const std::vector<Package>& packages, NodeType& type) {
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
    const int vertex = static_cast<int>(type.vertices.size());
    type.vertices.push_back({VertexKind::nic, card.name, 0, 0, -1});
    const double gigabytes = static_cast<double>(card.pci->attr->pcidev.linkspeed);  // 0 where unknown
    const double bandwidth = gigabytes > 0 ? gigabytes * 1e9 : nominal::nic.bandwidth;
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, card.pci);
    int package = packages.front().vertex;
    for (const Package& p : packages) {
      if (near != nullptr && near->cpuset != nullptr && hwloc_bitmap_isincluded(near->cpuset, p.cpus) != 0) {
        package = p.vertex;
      }
    }
    type.links.push_back({vertex, package, LinkKind::pcie, bandwidth, nominal::nic.latency});
  }
}

}  // namespace

HostProbe probe_host() {
  // Where ranks are threads: hwloc may be used by several at a time, but libudev and libpciaccess below it may not.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Topology topology = load();
  HostProbe host;
  host.type.name = "host";
  const std::vector<Package> packages = add_packages(topology.get(), host.type);
  add_numa(topology.get(), packages, host);
  add_nics(topology.get(), packages, host.type);
  return host;
}

std::vector<std::string> host_sources() {
  return {"packages, NUMA nodes, cores and network cards: found by hwloc",
          "rates between them: nominal (PCIe of a network card: hwloc's link speed where it knows it), not "
          "measured"};
}

}  // namespace halocline::machine

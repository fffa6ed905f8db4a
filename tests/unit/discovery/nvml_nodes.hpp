// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "discovery/detail/merge.hpp"

// Recorded nodes, as hwloc, CUDA and NVML describe them.
namespace halocline::machine::nodes {

struct NodeFacts {
  HostProbe host;
  std::vector<DeviceProbe> devices;
  NvmlReport nvml;

  /// With all devices in one process.
  [[nodiscard]] NodeType attached() const {
    HostProbe node = host;
    attach(node, devices, nvml);
    return node.type;
  }
};

/// Packages with one NUMA node each, whose numbers are `step` apart, and 2 processing units each.
inline HostProbe packages(int count, int step) {
  HostProbe host;
  host.type.name = "host";
  for (int p = 0; p < count; ++p) host.type.vertices.push_back({VertexKind::package, "package", 0, 2, -1});
  for (int p = 0; p < count; ++p) {
    host.type.vertices.push_back({VertexKind::numa, "NUMA node", std::int64_t{64} << 30, 2, -1});
    host.type.links.push_back({count + p, p, LinkKind::memory, 300e9, 1e-7});
    host.numa.emplace_back(step * p, count + p);
    for (int c = 0; c < 2; ++c) host.numa_of_cpu.push_back(count + p);
    for (int q = 0; q < p; ++q) host.type.links.push_back({q, p, LinkKind::inter_package, 96e9, 2e-7});
  }
  return host;
}

/// A network card of a package, with its place.
inline int add_nic(HostProbe& host, int package, const std::string& id, const std::string& root_port) {
  const int vertex = static_cast<int>(host.type.vertices.size());
  host.type.vertices.push_back({VertexKind::nic, "nic", 0, 0, -1});
  host.type.links.push_back({vertex, package, LinkKind::pcie, 50e9, 1e-6});
  host.pci.push_back({id, root_port, 63e9, package, vertex});
  return vertex;
}

inline std::string uuid(std::size_t gpu) { return fmt::format("GPU-{}", gpu); }
inline std::string pci(std::size_t gpu) { return fmt::format("0000:{:02x}:00.0", 0x10 * (gpu + 1)); }

inline DeviceProbe cuda_device(std::size_t gpu, const char* name) {
  return {halocline::DeviceKind::cuda, name, uuid(gpu), std::int64_t{16} << 30, -1, {}, {}};
}

/// All pairs of GPUs, linked alike.
inline std::vector<NvmlPair> all_pairs(std::size_t gpus, NvmlPair::Ancestor ancestor, Answer load_store,
                                       Answer nvlink) {
  std::vector<NvmlPair> pairs;
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = a + 1; b < gpus; ++b) pairs.push_back({uuid(a), uuid(b), ancestor, load_store, nvlink});
  }
  return pairs;
}

/// Eight GPUs with 18 links each to NVSwitches, and each with a network card behind one root port.
inline NodeFacts dgx_h200() {
  NodeFacts facts{packages(2, 1), {}, {}};
  for (std::size_t g = 0; g < 8; ++g) {
    const int package = g < 4 ? 0 : 1;
    const std::string port = fmt::format("0000:{:02x}:01.0", 0x10 * (g + 1) - 2);
    add_nic(facts.host, package, fmt::format("0000:{:02x}:00.0", 0x10 * (g + 1) - 1), port);
    facts.host.pci.push_back({pci(g), port, 63e9, package, -1});
    facts.devices.push_back(cuda_device(g, "NVIDIA H200"));
    NvmlGpu gpu{uuid(g), pci(g), {package}, {}, 5, 16, 3201, 6144, {}, {}};
    for (int l = 0; l < 18; ++l) gpu.links.push_back({NvmlLink::Remote::link_switch, "0000:07:00.0", 6, 26562});
    facts.nvml.gpus.push_back(std::move(gpu));
  }
  facts.nvml.pairs = all_pairs(8, NvmlPair::Ancestor::numa, Answer::yes, Answer::yes);
  facts.nvml.driver = "580";
  return facts;
}

/// Two triads of GPUs, two links between the GPUs of a triad and two from each to its processor.
inline NodeFacts summit() {
  NodeFacts facts{packages(2, 8), {}, {}};
  for (std::size_t g = 0; g < 6; ++g) {
    facts.devices.push_back(cuda_device(g, "Tesla V100-SXM2-16GB"));
    NvmlGpu gpu{uuid(g), pci(g), {g < 3 ? 0 : 8}, {}, 0, 0, 877, 4096, {}, {}};
    for (int l = 0; l < 2; ++l) {
      for (std::size_t h = g / 3 * 3; h < g / 3 * 3 + 3; ++h) {
        const bool cpu = h == g;
        gpu.links.push_back(
            {cpu ? NvmlLink::Remote::cpu : NvmlLink::Remote::gpu, cpu ? "0004:00:01.0" : pci(h), 2, 25781});
      }
    }
    facts.nvml.gpus.push_back(std::move(gpu));
  }
  facts.nvml.pairs = all_pairs(6, NvmlPair::Ancestor::node, Answer::yes, Answer::unknown);
  return facts;
}

/// Four GPUs without NVLink, two behind each of two PCIe switches, a network card behind the first; only GPUs behind
/// one switch reach each other.
inline NodeFacts pcie_box() {
  NodeFacts facts{packages(2, 1), {}, {}};
  add_nic(facts.host, 0, "0000:0f:00.0", "0000:00:01.0");
  add_nic(facts.host, 1, "0000:8f:00.0", "0000:80:07.0");
  for (std::size_t g = 0; g < 4; ++g) {
    const int package = g < 2 ? 0 : 1;
    facts.host.pci.push_back({pci(g), package == 0 ? "0000:00:01.0" : "0000:80:01.0", 31e9, package, -1});
    facts.devices.push_back(cuda_device(g, "L40S"));
    facts.nvml.gpus.push_back({uuid(g), pci(g), {}, {}, 4, 16, 0, 0, {}, {}});
  }
  facts.nvml.pairs = all_pairs(4, NvmlPair::Ancestor::node, Answer::no, Answer::no);
  for (NvmlPair& pair : facts.nvml.pairs) {
    const bool near = (pair.a == uuid(0) && pair.b == uuid(1)) || (pair.a == uuid(2) && pair.b == uuid(3));
    if (!near) continue;
    pair.ancestor = NvmlPair::Ancestor::pci_switch;
    pair.load_store = Answer::yes;
  }
  return facts;
}

}  // namespace halocline::machine::nodes

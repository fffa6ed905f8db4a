// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml/read.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <climits>
#include <mutex>
#include <optional>

#include "discovery/nvml/library.hpp"
#include "discovery/probe.hpp"

namespace halocline::machine {
namespace nvml {
namespace {

/// A GPU with more links than this does not report their number.
constexpr unsigned most_links = 64;

/// Calls a function of NVML that may be absent; returns whether it succeeded.
template <typename Function, typename... Arguments>
bool ask(Function* function, Arguments... arguments) {
  return function != nullptr && function(arguments...) == success;
}

std::string pci_text(const PciInfo& info) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
}

template <std::size_t Words>
std::vector<int> set_bits(const std::array<unsigned long, Words>& words) {
  constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::vector<int> set;
  for (std::size_t i = 0; i < Words * bits; ++i) {
    if ((words[i / bits] >> (i % bits) & 1UL) != 0) set.push_back(static_cast<int>(i));
  }
  return set;
}

/// Returns 0 if the field is not known.
int field(const Library& library, Device device, unsigned which, unsigned scope) {
  FieldValue value{};
  value.field = which;
  value.scope = scope;
  if (!ask(library.field_values, device, 1, &value) || value.status != success) return 0;
  const auto fits = [](auto number) {
    return number >= 0 && static_cast<unsigned long long>(number) <= INT_MAX ? static_cast<int>(number) : 0;
  };
  switch (value.value_type) {
    case value_double: return value.value.real >= 0 && value.value.real < 1e9 ? static_cast<int>(value.value.real) : 0;
    case value_unsigned_int: return fits(value.value.unsigned_int);
    case value_unsigned_long: return fits(value.value.unsigned_long);
    case value_unsigned_long_long: return fits(value.value.unsigned_long_long);
    case value_signed_long_long: return fits(value.value.signed_long_long);
    case value_signed_int: return fits(value.value.signed_int);
    case value_unsigned_short: return value.value.unsigned_short;
    default: return 0;
  }
}

NvmlLink::Remote remote_of(unsigned type) {
  switch (type) {
    case remote_gpu: return NvmlLink::Remote::gpu;
    case remote_npu: return NvmlLink::Remote::cpu;
    case remote_switch: return NvmlLink::Remote::link_switch;
    default: return NvmlLink::Remote::unknown;
  }
}

std::vector<NvmlLink> read_links(const Library& library, Device device) {
  const int told = field(library, device, field_nvlink_count, 0);
  const unsigned count = told > 0 ? std::min(static_cast<unsigned>(told), most_links) : most_links;
  const int common_speed = field(library, device, field_nvlink_common_speed, 0);
  std::vector<NvmlLink> links;
  for (unsigned l = 0; l < count; ++l) {
    unsigned active = 0;
    if (!ask(library.link_state, device, l, &active) || active != feature_enabled) continue;
    NvmlLink link;
    if (unsigned type = 0; ask(library.link_remote_type, device, l, &type)) link.remote = remote_of(type);
    // All links of one GPU to switches are the same, and each query takes time.
    if (link.remote == NvmlLink::Remote::link_switch && !links.empty() &&
        links.back().remote == NvmlLink::Remote::link_switch) {
      links.push_back(links.back());
      continue;
    }
    if (PciInfo info{}; ask(library.link_remote_pci, device, l, &info)) link.remote_pci = pci_text(info);
    if (unsigned version = 0; ask(library.link_version, device, l, &version)) link.version = static_cast<int>(version);
    link.megabytes_per_second = field(library, device, field_nvlink_speed, l);
    if (link.megabytes_per_second == 0) link.megabytes_per_second = common_speed;
    links.push_back(std::move(link));
  }
  return links;
}

std::string read_fabric(const Library& library, Device device) {
  FabricInfo info{};
  info.version = fabric_info_version;
  if (!ask(library.fabric_info, device, &info)) return {};
  if (info.state != fabric_completed || info.status != success) return {};
  const auto zero = [](unsigned char byte) { return byte == 0; };
  if (std::all_of(std::begin(info.cluster_uuid), std::end(info.cluster_uuid), zero)) return {};
  std::string text;
  for (const unsigned char byte : info.cluster_uuid) text += fmt::format("{:02x}", byte);
  return fmt::format("{}/{}", text, info.clique);
}

/// Returns the speed that the link is capable of; if that is not known, the present speed: GPUs slow links down while
/// they are idle.
int most_or_current(Device device, nvmlDeviceGetMaxPcieLinkWidth* most, nvmlDeviceGetCurrPcieLinkWidth* current) {
  unsigned value = 0;
  if (ask(most, device, &value) && value > 0 && value <= 64) return static_cast<int>(value);
  if (ask(current, device, &value) && value > 0 && value <= 64) return static_cast<int>(value);
  return 0;
}

NvmlGpu read_gpu(const Library& library, Device device) {
  NvmlGpu gpu;
  if (std::array<char, uuid_bytes> uuid{}; ask(library.uuid, device, uuid.data(), uuid_bytes)) gpu.uuid = uuid.data();
  if (PciInfo info{}; ask(library.pci_info, device, &info)) gpu.pci = pci_text(info);

  if (std::array<unsigned long, 16> nodes{}; ask(library.memory_affinity, device, 16U, nodes.data(), affinity_node)) {
    gpu.numa = set_bits(nodes);
  }
  if (std::array<unsigned long, 64> cpus{}; ask(library.cpu_affinity, device, 64U, cpus.data())) {
    gpu.cpus = set_bits(cpus);
  }
  gpu.pcie_generation = most_or_current(device, library.max_pcie_generation, library.current_pcie_generation);
  gpu.pcie_lanes = most_or_current(device, library.max_pcie_width, library.current_pcie_width);
  if (unsigned mhz = 0; ask(library.max_clock, device, clock_memory, &mhz))
    gpu.memory_clock_mhz = static_cast<int>(mhz);
  if (unsigned bits = 0; ask(library.memory_bus_width, device, &bits)) gpu.memory_bus_bits = static_cast<int>(bits);
  gpu.links = read_links(library, device);
  gpu.fabric = read_fabric(library, device);
  return gpu;
}

Answer both(Answer a, Answer b) {
  if (a == Answer::no || b == Answer::no) return Answer::no;
  return a == Answer::yes && b == Answer::yes ? Answer::yes : Answer::unknown;
}

Answer p2p(const Library& library, Device a, Device b, unsigned index) {
  const auto one_way = [&](Device from, Device to) {
    unsigned status = p2p_unknown;
    if (!ask(library.p2p_status, from, to, index, &status) || status >= p2p_unknown) return Answer::unknown;
    return status == p2p_ok ? Answer::yes : Answer::no;
  };
  return both(one_way(a, b), one_way(b, a));
}

NvmlPair::Ancestor ancestor(const Library& library, Device a, Device b) {
  unsigned level = 0;
  if (!ask(library.common_ancestor, a, b, &level)) return NvmlPair::Ancestor::unknown;
  switch (level) {
    case topology_internal: return NvmlPair::Ancestor::board;
    case topology_single: return NvmlPair::Ancestor::pci_switch;
    case topology_multiple: return NvmlPair::Ancestor::pci_switches;
    case topology_host_bridge: return NvmlPair::Ancestor::host_bridge;
    case topology_numa: return NvmlPair::Ancestor::numa;
    case topology_system: return NvmlPair::Ancestor::node;
    default: return NvmlPair::Ancestor::unknown;
  }
}

}  // namespace

NvmlReport read(const char* file) {
  NvmlReport report;
  const Library library(file);
  report.why_not = library.why_not();
  if (!library.usable()) return report;
  if (std::array<char, version_bytes> text{}; ask(library.driver_version, text.data(), version_bytes)) {
    report.driver = text.data();
  }
  unsigned count = 0;
  ask(library.count, &count);
  std::vector<Device> devices;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (!ask(library.handle, i, &device)) continue;  // of another container, or out of order
    NvmlGpu gpu = read_gpu(library, device);
    if (gpu.uuid.empty()) continue;
    report.gpus.push_back(std::move(gpu));
    devices.push_back(device);
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      NvmlPair pair;
      pair.a = report.gpus[a].uuid;
      pair.b = report.gpus[b].uuid;
      pair.ancestor = ancestor(library, devices[a], devices[b]);
      pair.load_store =
          both(p2p(library, devices[a], devices[b], p2p_read), p2p(library, devices[a], devices[b], p2p_write));
      pair.nvlink = p2p(library, devices[a], devices[b], p2p_nvlink);
      report.pairs.push_back(std::move(pair));
    }
  }
  if (report.gpus.empty()) report.why_not = "NVML sees no GPU";
  return report;
}

}  // namespace nvml

// Queried once in each process, if it succeeds: soldered hardware does not change, and the second domain need not wait
// again.
NvmlReport probe_nvml() {
  static std::mutex one_at_a_time;
  static std::optional<NvmlReport> known;
  const std::lock_guard lock(one_at_a_time);
  if (known) return *known;
  NvmlReport report = nvml::read("libnvidia-ml.so.1");
  if (!report.gpus.empty()) known = report;
  return report;
}

}  // namespace halocline::machine

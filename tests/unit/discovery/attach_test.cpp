// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "io/json.hpp"
#include "machine/names.hpp"
#include "machine/paths.hpp"
#include "nvml_nodes.hpp"

namespace halocline::machine {
namespace {

MachineMap one_node(const NodeType& type) {
  MachineMap map;
  map.name = "here";
  map.types.push_back(type);
  map.nodes.push_back({"here", 0, {}, -1});
  return map;
}

void expect_sound(const NodeType& type) {
  const MachineMap map = one_node(type);
  ASSERT_NO_THROW(map.check());
  EXPECT_EQ(io::machine_from_json(io::to_json(map)), map);
}

std::vector<int> vertices_of(const NodeType& type, VertexKind kind) {
  std::vector<int> found;
  for (std::size_t v = 0; v < type.vertices.size(); ++v) {
    if (type.vertices[v].kind == kind) found.push_back(static_cast<int>(v));
  }
  return found;
}

/// The links of one kind between two vertices.
std::vector<Link> links_between(const NodeType& type, int a, int b, LinkKind kind) {
  std::vector<Link> found;
  for (const Link& link : type.links) {
    const bool same = (link.a == a && link.b == b) || (link.a == b && link.b == a);
    if (same && link.kind == kind) found.push_back(link);
  }
  return found;
}

int device_vertex(const NodeType& type, std::size_t device) { return type.device_vertices().at(device); }

double bandwidth(const NodeType& type, int from, int to) {
  return best_path(type, device_id(from), device_id(to)).bandwidth;
}

std::vector<int> domains(const NodeType& type) {
  std::vector<int> all;
  for (const int v : type.device_vertices()) {
    all.push_back(type.vertices[static_cast<std::size_t>(v)].load_store_domain);
  }
  return all;
}

TEST(AttachDgx, IsWhatItsDataSheetSays) {
  const NodeType found = nodes::dgx_h200().attached();
  expect_sound(found);
  const MachineMap sheet = io::read_machine_file(HALOCLINE_MACHINES "/dgx-h200.json");
  const NodeType& expected = sheet.types.at(0);
  for (const VertexKind kind : all_vertex_kinds) {
    EXPECT_EQ(vertices_of(found, kind).size(), vertices_of(expected, kind).size()) << to_string(kind);
  }
  for (const LinkKind kind : all_link_kinds) {
    const auto count = [kind](const NodeType& type) {
      return std::count_if(type.links.begin(), type.links.end(), [kind](const Link& l) { return l.kind == kind; });
    };
    EXPECT_EQ(count(found), count(expected)) << to_string(kind);
  }
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      const auto here = best_path(found, device_id(from), device_id(to));
      const auto there = best_path(expected, device_id(from), device_id(to));
      if (from == to) {
        EXPECT_NEAR(here.bandwidth / there.bandwidth, 1, 0.03);
      } else {
        EXPECT_EQ(here, there) << from << " -> " << to;
        EXPECT_EQ(here.bandwidth, 450e9);
      }
    }
  }
  EXPECT_EQ(domains(found), domains(expected));
}

TEST(AttachDgx, ANetworkCardIsNearTheGpuBehindTheSameSwitch) {
  const NodeType type = nodes::dgx_h200().attached();
  const std::vector<int> nics = vertices_of(type, VertexKind::nic);
  for (std::size_t g = 0; g < 8; ++g) {
    const int gpu = device_vertex(type, g);
    std::vector<double> latencies;
    for (const int nic : nics) latencies.push_back(link_path(type, gpu, nic).latency);
    EXPECT_EQ(std::min_element(latencies.begin(), latencies.end()) - latencies.begin(), static_cast<std::ptrdiff_t>(g));
    EXPECT_NEAR(link_path(type, gpu, nics[g]).latency, 1e-6, 1e-12);
    EXPECT_EQ(links_between(type, nics[g], g < 4 ? 0 : 1, LinkKind::pcie).size(), 0u);
  }
}

TEST(AttachSummit, GpusAreLinkedDirectlyToTheirTriadAndProcessor) {
  const NodeType type = nodes::summit().attached();
  expect_sound(type);
  EXPECT_TRUE(vertices_of(type, VertexKind::link_switch).empty());
  const MachineMap sheet = io::read_machine_file(HALOCLINE_MACHINES "/summit.json");
  for (int a = 0; a < 6; ++a) {
    const int vertex = device_vertex(type, static_cast<std::size_t>(a));
    const auto to_cpu = links_between(type, vertex, a < 3 ? 0 : 1, LinkKind::nvlink);
    ASSERT_EQ(to_cpu.size(), 1u);
    EXPECT_EQ(to_cpu[0].bandwidth, 50e9);
    for (int b = 0; b < 6; ++b) {
      if (a == b) {
        EXPECT_NEAR(bandwidth(type, a, a), 900e9, 5e9);
        continue;
      }
      const int other = device_vertex(type, static_cast<std::size_t>(b));
      const bool triad = a / 3 == b / 3;
      EXPECT_EQ(links_between(type, vertex, other, LinkKind::nvlink).size(), triad ? 1u : 0u) << a << " " << b;
      if (!triad) continue;
      EXPECT_EQ(best_path(type, device_id(a), device_id(b)), best_path(sheet.types[0], device_id(a), device_id(b)));
    }
  }
  EXPECT_EQ(domains(type), std::vector<int>(6, 0));
}

TEST(AttachSummit, LinksThatTheEndsCountDifferentlyAreCountedLow) {
  nodes::NodeFacts facts = nodes::summit();
  std::erase_if(facts.nvml.gpus[1].links, [&](const NvmlLink& l) { return l.remote_pci == nodes::pci(0); });
  facts.nvml.gpus[1].links.push_back({NvmlLink::Remote::gpu, nodes::pci(0), 2, 25781});
  EXPECT_EQ(bandwidth(facts.attached(), 0, 1), 25e9 * 2) << "by way of the processor";
  const auto direct = [](const NodeType& type) {
    return links_between(type, device_vertex(type, 0), device_vertex(type, 1), LinkKind::nvlink).at(0).bandwidth;
  };
  EXPECT_EQ(direct(facts.attached()), 25e9);
  facts.nvml.gpus[1].links.clear();
  EXPECT_EQ(direct(facts.attached()), 50e9) << "an end that says nothing does not count";
}

TEST(AttachPcie, SwitchesAreSharedByGpusAndCards) {
  const NodeType type = nodes::pcie_box().attached();
  expect_sound(type);
  const std::vector<int> switches = vertices_of(type, VertexKind::pci_switch);
  ASSERT_EQ(switches.size(), 2u);
  for (std::size_t g = 0; g < 4; ++g) {
    const auto link = links_between(type, device_vertex(type, g), switches[g / 2], LinkKind::pcie);
    ASSERT_EQ(link.size(), 1u);
    EXPECT_NEAR(link[0].bandwidth, 31.5e9, 0.1e9);
  }
  for (int s = 0; s < 2; ++s) {
    const auto up = links_between(type, switches[static_cast<std::size_t>(s)], s, LinkKind::pcie);
    ASSERT_EQ(up.size(), 1u) << "each at its own package";
    EXPECT_EQ(up[0].bandwidth, 31e9) << "as hwloc says";
  }
  const std::vector<int> nics = vertices_of(type, VertexKind::nic);
  EXPECT_EQ(links_between(type, nics[0], switches[0], LinkKind::pcie).size(), 1u);
  EXPECT_EQ(links_between(type, nics[1], 1, LinkKind::pcie).size(), 1u) << "a card behind a port of its own stays";
  EXPECT_LT(best_path(type, device_id(0), device_id(1)).latency, best_path(type, device_id(0), device_id(2)).latency);
  EXPECT_EQ(domains(type), (std::vector<int>{0, 0, 1, 1}));
}

TEST(AttachPcie, WithoutHwlocNvmlTellsWhoSharesASwitch) {
  nodes::NodeFacts facts = nodes::pcie_box();
  facts.host.pci.clear();
  for (std::size_t g = 0; g < 4; ++g) facts.nvml.gpus[g].numa = {g < 2 ? 0 : 1};
  const NodeType type = facts.attached();
  expect_sound(type);
  const std::vector<int> switches = vertices_of(type, VertexKind::pci_switch);
  ASSERT_EQ(switches.size(), 2u);
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_EQ(links_between(type, device_vertex(type, g), switches[g / 2], LinkKind::pcie).size(), 1u);
  }
}

TEST(AttachPcie, WhereHwlocKnowsThePortsNvmlsAncestorsDoNotCount) {
  const NodeType both = nodes::pcie_box().attached();
  for (const auto ancestor : {NvmlPair::Ancestor::unknown, NvmlPair::Ancestor::pci_switches}) {
    nodes::NodeFacts facts = nodes::pcie_box();
    for (NvmlPair& pair : facts.nvml.pairs) pair.ancestor = ancestor;
    EXPECT_EQ(facts.attached(), both);
  }
}

/// The package to which the only GPU is attached.
int package_of(const nodes::NodeFacts& facts) {
  const NodeType type = facts.attached();
  for (const Link& link : type.links) {
    if (link.kind == LinkKind::pcie && link.a == device_vertex(type, 0)) return link.b;
  }
  return -1;
}

TEST(AttachPackage, IsThatOfTheFirstWhoKnows) {
  nodes::NodeFacts facts{nodes::packages(2, 8), {nodes::cuda_device(0, "GPU")}, {}};
  EXPECT_EQ(package_of(facts), 0) << "nobody knows: by order";
  facts.nvml.gpus.push_back({nodes::uuid(0), nodes::pci(0), {}, {2, 3}, 0, 0, 0, 0, {}, {}});
  EXPECT_EQ(package_of(facts), 1) << "by processing units";
  facts.nvml.gpus[0].cpus = {0, 1, 2, 3, 4};
  EXPECT_EQ(package_of(facts), 0) << "those of all packages tell nothing";
  facts.host.pci.push_back({nodes::pci(0), "", 0, 1, -1});
  EXPECT_EQ(package_of(facts), 1) << "by hwloc";
  facts.nvml.gpus[0].numa = {0};
  EXPECT_EQ(package_of(facts), 0) << "by NVML";
  facts.nvml.gpus[0].numa = {0, 8};
  EXPECT_EQ(package_of(facts), 1) << "two NUMA nodes tell nothing";
  facts.devices[0].numa = 0;
  EXPECT_EQ(package_of(facts), 0) << "by the operating system";
}

TEST(AttachNvlink, EndsThatNvmlDoesNotTellAreSwitches) {
  nodes::NodeFacts facts = nodes::dgx_h200();
  for (NvmlGpu& gpu : facts.nvml.gpus) {
    for (NvmlLink& link : gpu.links) link = {NvmlLink::Remote::unknown, "", 6, 26562};
  }
  EXPECT_EQ(bandwidth(facts.attached(), 0, 7), 450e9);
  // Except those of a GPU that is linked directly to others.
  nodes::NodeFacts direct = nodes::summit();
  for (NvmlGpu& gpu : direct.nvml.gpus) gpu.links.push_back({NvmlLink::Remote::unknown, "", 2, 25781});
  EXPECT_TRUE(vertices_of(direct.attached(), VertexKind::link_switch).empty());
}

TEST(AttachNvlink, GpusThatNvlinkDoesNotJoinAreBehindSwitchesOfTheirOwn) {
  nodes::NodeFacts facts = nodes::dgx_h200();
  for (NvmlPair& pair : facts.nvml.pairs) {
    const bool near = (pair.a < nodes::uuid(4)) == (pair.b < nodes::uuid(4));
    if (!near) pair.nvlink = pair.load_store = Answer::no;
  }
  const NodeType type = facts.attached();
  expect_sound(type);
  EXPECT_EQ(vertices_of(type, VertexKind::link_switch).size(), 2u);
  EXPECT_EQ(bandwidth(type, 0, 3), 450e9);
  EXPECT_NEAR(bandwidth(type, 0, 4), 63e9, 0.1e9);
  EXPECT_EQ(domains(type), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(AttachNvlink, AGpuWithBrokenLinksIsSlower) {
  nodes::NodeFacts facts = nodes::dgx_h200();
  facts.nvml.gpus[2].links.resize(9);
  EXPECT_EQ(bandwidth(facts.attached(), 0, 2), 225e9);
  EXPECT_EQ(bandwidth(facts.attached(), 0, 1), 450e9);
}

TEST(AttachMasked, RanksThatSeeOneGpuEachGetTheSameNode) {
  const nodes::NodeFacts facts = nodes::dgx_h200();
  std::vector<RankDevices> ranks;
  for (std::size_t r = 0; r < 8; ++r) {
    ranks.push_back({static_cast<std::int64_t>(r), {facts.devices[r]}, facts.nvml});
  }
  const NodeReport masked = merge_node(facts.host, "n", ranks);
  EXPECT_EQ(masked.type, facts.attached());
  EXPECT_EQ(masked.type, merge_node(facts.host, "n", {{0, facts.devices, facts.nvml}}).type);
}

TEST(AttachMasked, ContainersThatShowNvmlOneGpuEachAddUp) {
  const nodes::NodeFacts facts = nodes::dgx_h200();
  std::vector<RankDevices> ranks;
  for (std::size_t r = 0; r < 8; ++r) {
    NvmlReport one;
    one.gpus = {facts.nvml.gpus[r]};
    ranks.push_back({static_cast<std::int64_t>(r), {facts.devices[r]}, one});
  }
  EXPECT_EQ(merge_node(facts.host, "n", ranks).type, facts.attached());
}

TEST(AttachMasked, AGpuThatNvmlDoesNotSeeIsOnNominalPcie) {
  nodes::NodeFacts facts = nodes::dgx_h200();
  facts.nvml.gpus.erase(facts.nvml.gpus.begin() + 3);
  const NodeType type = facts.attached();
  expect_sound(type);
  EXPECT_EQ(bandwidth(type, 0, 3), 25e9);
  EXPECT_EQ(bandwidth(type, 0, 4), 450e9);
}

TEST(AttachMasked, NvmlIsAskedForPairsThatNoProcessSaw) {
  const nodes::NodeFacts box = nodes::pcie_box();
  const auto with = [&](std::vector<RankDevices> ranks) {
    ranks[0].nvml = box.nvml;
    return domains(merge_node(box.host, "n", std::move(ranks)).type);
  };
  const auto gpu = [](std::size_t g, std::vector<std::string> no_access, std::vector<std::string> access) {
    DeviceProbe probe = nodes::cuda_device(g, "L40S");
    probe.no_access = std::move(no_access);
    probe.access = std::move(access);
    return probe;
  };
  EXPECT_EQ(with({{0, {gpu(0, {}, {})}, {}}, {1, {gpu(2, {}, {})}, {}}}), (std::vector<int>{0, 1})) << "NVML says no";
  EXPECT_EQ(with({{0, {gpu(0, {}, {})}, {}}, {1, {gpu(1, {}, {})}, {}}}), (std::vector<int>{0, 0})) << "NVML says yes";
  const DeviceProbe reaches = gpu(0, {}, {nodes::uuid(2)});
  EXPECT_EQ(with({{0, {reaches, gpu(2, {}, {nodes::uuid(0)})}, {}}}), (std::vector<int>{0, 0})) << "CUDA says yes";
  const DeviceProbe refuses = gpu(0, {nodes::uuid(1)}, {});
  EXPECT_EQ(with({{0, {refuses, gpu(1, {nodes::uuid(0)}, {})}, {}}}), (std::vector<int>{0, 1})) << "CUDA says no";
  const std::vector<DeviceProbe> both{reaches, gpu(2, {}, {nodes::uuid(0)})};
  EXPECT_EQ(with({{0, {gpu(0, {}, {})}, {}}, {1, {gpu(2, {}, {})}, {}}, {2, both, {}}}), (std::vector<int>{0, 0}))
      << "the only process that saw both says yes";
  const nodes::NodeFacts none{box.host, {nodes::cuda_device(0, "g"), nodes::cuda_device(2, "g")}, {}};
  EXPECT_EQ(domains(none.attached()), (std::vector<int>{0, 0})) << "nobody says anything";
}

}  // namespace
}  // namespace halocline::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/nvml_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/detail/gpu_links.hpp"
#include "discovery/serialise.hpp"
#include "nvml_nodes.hpp"

namespace halocline::machine {
namespace {

using testing::HasSubstr;

TEST(NvmlRates, NvlinkIsPayloadWithoutCoding) {
  const auto rate = [](int version, int speed) {
    return nvlink_bandwidth({NvmlLink::Remote::link_switch, "", version, speed});
  };
  EXPECT_EQ(rate(6, 26562), 25e9) << "Hopper's line";
  EXPECT_EQ(rate(2, 25781), 25e9) << "Volta's line";
  EXPECT_EQ(rate(4, 25000), 25e9);
  EXPECT_EQ(rate(1, 20000), 20e9);
  EXPECT_EQ(rate(7, 53125), 50e9);
  EXPECT_EQ(rate(6, 12500), 12.5e9) << "a line that runs slower counts for what it is";
  EXPECT_EQ(rate(1, 0), 20e9);
  for (int version = 2; version <= 6; ++version) EXPECT_EQ(rate(version, 0), 25e9);
  EXPECT_EQ(rate(7, 0), 50e9);
  EXPECT_EQ(rate(0, 0), 0);
}

TEST(NvmlRates, PcieByGenerationAndLanes) {
  const auto rate = [](int generation, int lanes) {
    NvmlGpu gpu;
    gpu.pcie_generation = generation;
    gpu.pcie_lanes = lanes;
    return pcie_bandwidth(gpu);
  };
  EXPECT_NEAR(rate(1, 16), 4e9, 1e6);
  EXPECT_NEAR(rate(2, 1), 0.5e9, 1e6);
  EXPECT_NEAR(rate(3, 16), 15.75e9, 1e7);
  EXPECT_NEAR(rate(4, 16), 31.5e9, 1e7);
  EXPECT_NEAR(rate(5, 16), 63.0e9, 2e7);
  EXPECT_NEAR(rate(6, 16), 121e9, 1e9);
  EXPECT_EQ(rate(7, 16), rate(6, 16)) << "at least as fast";
  EXPECT_EQ(rate(0, 16), 0);
  EXPECT_EQ(rate(5, 0), 0);
}

TEST(NvmlRates, MemoryByClockAndWidth) {
  NvmlGpu gpu;
  EXPECT_EQ(memory_bandwidth(gpu), 0);
  gpu.memory_clock_mhz = 3201;
  gpu.memory_bus_bits = 6144;
  EXPECT_NEAR(memory_bandwidth(gpu), 4.8e12, 0.15e12) << "H200";
  gpu.memory_clock_mhz = 2619;
  gpu.memory_bus_bits = 5120;
  EXPECT_NEAR(memory_bandwidth(gpu), 3.35e12, 0.01e12) << "H100 SXM";
}

TEST(NvmlReport, PairsAreFoundInEitherOrder) {
  const NvmlReport report = nodes::pcie_box().nvml;
  EXPECT_EQ(report.pair(nodes::uuid(0), nodes::uuid(1)).load_store, Answer::yes);
  EXPECT_EQ(report.pair(nodes::uuid(1), nodes::uuid(0)).load_store, Answer::yes);
  EXPECT_EQ(report.pair(nodes::uuid(0), "other").load_store, Answer::unknown);
  EXPECT_EQ(report.gpu("other"), nullptr);
}

TEST(NvmlReport, ReportsOfANodeAddUpAndTheFirstWins) {
  NvmlReport first;
  first.why_not = "NVML was not found";
  NvmlReport second;
  second.gpus = {{"A", "", {}, {}, 4, 16, 0, 0, {}, {}}};
  second.driver = "580";
  NvmlReport third;
  third.gpus = {{"A", "", {}, {}, 3, 8, 0, 0, {}, {}}, {"B", "", {}, {}, 5, 16, 0, 0, {}, {}}};
  third.pairs = {{"A", "B", NvmlPair::Ancestor::numa, Answer::yes, Answer::no}};
  NvmlReport fourth;
  fourth.pairs = {{"B", "A", NvmlPair::Ancestor::node, Answer::no, Answer::no}};
  const NvmlReport all = merge({first, second, third, fourth});
  ASSERT_EQ(all.gpus.size(), 2u);
  EXPECT_EQ(all.gpu("A")->pcie_generation, 4);
  EXPECT_EQ(all.pairs, third.pairs);
  EXPECT_EQ(all.why_not, "");
  EXPECT_THAT(source(all), HasSubstr("driver 580"));
  EXPECT_THAT(source(merge({first})), HasSubstr("NVML was not found"));
  EXPECT_THAT(source(merge({})), HasSubstr("NVML was not asked"));
}

TEST(NvmlReport, ComesBackTheSame) {
  for (NvmlReport report : {nodes::dgx_h200().nvml, nodes::summit().nvml, nodes::pcie_box().nvml, NvmlReport{}}) {
    report.why_not = "a reason";
    if (!report.gpus.empty()) report.gpus[0].fabric = "f/1";
    if (!report.gpus.empty()) report.gpus[0].cpus = {3, 5};
    EXPECT_EQ(from_bytes<NvmlReport>(to_bytes(report)), report);
  }
}

TEST(Fabric, IsThatOfAllGpusOrNone) {
  nodes::NodeFacts facts = nodes::dgx_h200();
  EXPECT_EQ(fabric_of(facts.devices, facts.nvml), "");
  for (NvmlGpu& gpu : facts.nvml.gpus) gpu.fabric = "f/0";
  EXPECT_EQ(fabric_of(facts.devices, facts.nvml), "f/0");
  EXPECT_EQ(fabric_of({}, facts.nvml), "");
  facts.nvml.gpus[5].fabric = "f/1";
  EXPECT_EQ(fabric_of(facts.devices, facts.nvml), "");
  facts.nvml.gpus.pop_back();
  facts.nvml.gpus[5].fabric = "f/0";
  EXPECT_EQ(fabric_of(facts.devices, facts.nvml), "") << "one that NVML does not see";
}

TEST(Fabric, JoinsNodesIntoRacksButNotVirtualOnes) {
  const auto node = [](const char* name, std::int64_t rank, const char* fabric) {
    nodes::NodeFacts facts = nodes::dgx_h200();
    for (NvmlGpu& gpu : facts.nvml.gpus) gpu.fabric = fabric;
    return merge_node(facts.host, name, {{rank, facts.devices, facts.nvml}});
  };
  const auto racks = [](std::vector<NodeReport> nodes) {
    std::vector<int> all;
    const auto size = static_cast<std::int64_t>(nodes.size());
    const MachineMap map = merge_nodes(std::move(nodes), size);
    for (const NodeEntry& entry : map.nodes) all.push_back(entry.rack);
    return all;
  };
  EXPECT_EQ(racks({node("a", 0, "x"), node("b", 1, "y"), node("c", 2, "x"), node("d", 3, "y"), node("e", 4, "z")}),
            (std::vector<int>{0, 1, 0, 1, -1}));
  EXPECT_EQ(racks({node("a", 0, ""), node("b", 1, "")}), (std::vector<int>{-1, -1}));
  EXPECT_EQ(racks({node("a", 0, "x"), node("a", 1, "x")}), (std::vector<int>{-1, -1}));
  const auto virtual_racks = [](std::vector<NodeReport> nodes) {
    const auto size = static_cast<std::int64_t>(nodes.size());
    std::vector<int> all;
    for (const NodeEntry& entry : merge_nodes(std::move(nodes), size, true).nodes) all.push_back(entry.rack);
    return all;
  };
  EXPECT_EQ(virtual_racks({node("a", 0, ""), node("b", 1, ""), node("a", 2, ""), node("b", 3, ""), node("c", 4, "")}),
            (std::vector<int>{0, 1, 0, 1, -1}));
  EXPECT_EQ(virtual_racks({node("a", 0, "x"), node("a", 1, "x"), node("b", 2, "x")}), (std::vector<int>{0, 0, 0}));
  const MachineMap joined = merge_nodes({node("a", 0, "x"), node("b", 1, "x")}, 2);
  EXPECT_TRUE(joined.share_load_store(node_id(0), device_id(0), node_id(1), device_id(7)));
}

TEST(Sources, SayWhatNvmlWasGoodForWhereThereAreGpus) {
  const auto sources = [](const nodes::NodeFacts& facts) {
    const MachineMap map = merge_nodes({merge_node(facts.host, "a", {{0, facts.devices, facts.nvml}}),
                                        merge_node(facts.host, "b", {{1, facts.devices, facts.nvml}})},
                                       2);
    return map.sources;
  };
  const auto about_nvml = [](const std::vector<std::string>& all) {
    return std::count_if(all.begin(), all.end(), [](const auto& s) { return s.find("NVML") != std::string::npos; });
  };
  EXPECT_EQ(about_nvml(sources(nodes::dgx_h200())), 1) << "once for nodes that say the same";
  nodes::NodeFacts host_only{nodes::packages(1, 1), {}, {}};
  host_only.devices.push_back({halocline::DeviceKind::host, "host device 0", "h", 1, -1, {}, {}});
  EXPECT_EQ(about_nvml(sources(host_only)), 0);
}

}  // namespace
}  // namespace halocline::machine

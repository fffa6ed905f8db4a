#include "halocline/model/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "halocline/core/error.hpp"
#include "unit/model/solvers.hpp"
#include "unit/model/support.hpp"

namespace halocline::model {
namespace {

using machine::Interconnect;
using machine::LinkKind;
using machine::MachineMap;
using machine::Place;
using machine::VertexKind;
using routing::Transport;
using testing::HasSubstr;

constexpr double giga = 1e9;
constexpr double near = 1e-8;  ///< seconds; moments of the simulation are exact to 1e-11

/// Two devices at one package with its memory, and a card: GB/s and us as below.
constexpr int numa = 1;
constexpr int device0 = 2;
constexpr int device1 = 3;

machine::NodeType node_type() {
  machine::NodeType type;
  type.name = "test";
  type.vertices = {{VertexKind::package, "package"},
                   {VertexKind::numa, "memory"},
                   {VertexKind::device, "left", 0, 0, 0},
                   {VertexKind::device, "right", 0, 0, 0},
                   {VertexKind::nic, "card"}};
  type.links = {{0, numa, LinkKind::memory, 50 * giga, 0},
                {0, device0, LinkKind::pcie, 10 * giga, 1e-6},
                {0, device1, LinkKind::pcie, 5 * giga, 2e-6},
                {device0, device1, LinkKind::nvlink, 20 * giga, 3e-6},
                {0, 4, LinkKind::pcie, 8 * giga, 0},
                {device0, device0, LinkKind::memory, 100 * giga, 0},
                {device1, device1, LinkKind::memory, 100 * giga, 0}};
  return type;
}

MachineMap map_of(std::int64_t nodes, std::int64_t ranks_per_node) {
  MachineMap map;
  map.name = "test";
  map.types = {node_type()};
  for (std::int64_t n = 0; n < nodes; ++n) map.nodes.push_back({"node" + std::to_string(n), 0, {}, -1});
  map.network.bandwidth = 4 * giga;
  map.network.latency = 4e-6;
  machine::assign_ranks(map, ranks_per_node);
  return map;
}

Place at(std::int64_t node, int vertex) { return {node_id(node), vertex}; }

class Simulate : public testing::TestWithParam<Solver> {
 protected:
  void SetUp() override { HC_NEED_SOLVER(GetParam()); }
  Interconnect net{map_of(3, 2)};
  std::vector<double> ends(const std::vector<Flow>& flows, const std::vector<SharedResource>& resources = {}) {
    return simulate(net, resources, flows, GetParam()).ends;
  }
};

TEST_P(Simulate, OneFlowTakesItsBytesAndItsLatency) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  EXPECT_NEAR(ends({flow})[0], 1e-3 + 3e-6, near);
}

TEST_P(Simulate, TwoFlowsOnOneLinkShareIt) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow half = flow;
  half.bytes /= 2;
  const auto found = ends({flow, half});
  // Both at half the rate until the shorter one has ended, which takes as long as all of one.
  EXPECT_NEAR(found[1], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found[0], 1.5e-3 + 3e-6, near);
}

TEST_P(Simulate, AFlowOverTwoLinksTakesTheNarrower) {
  // memory 50, then PCIe 5 GB/s and 2 us
  EXPECT_NEAR(ends({{at(0, numa), at(0, device1), 10'000'000}})[0], 2e-3 + 2e-6, near);
}

TEST_P(Simulate, WhatANarrowLinkHoldsBackIsLeftToOthers) {
  // Both share memory -> package; the one to the right is held to 5, the one to the left to 10 GB/s.
  const auto found = ends({{at(0, numa), at(0, device0), 10'000'000}, {at(0, numa), at(0, device1), 10'000'000}});
  EXPECT_NEAR(found[0], 1e-3 + 1e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 2e-6, near);
}

TEST_P(Simulate, LatenciesOfARouteAddUp) {
  // device 0, package, card, 2 us, 2 us, card, package, device 1 of the other node; and the flow's own.
  const std::vector<Flow> flows{{at(0, device0), at(1, device1), 0, 10e-6}};
  EXPECT_NEAR(ends(flows)[0], 10e-6 + 1e-6 + 4e-6 + 2e-6, near);
}

TEST_P(Simulate, AFlowsLatencyTakesNothingFromOthers) {
  // Equal shares from 2 ms on, however long a flow waited before.
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow late = flow;
  late.latency = 0.5e-3;
  const auto found = ends({flow, late});
  EXPECT_NEAR(found[0], 1.5e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
}

TEST_P(Simulate, OppositeDirectionsDoNotShare) {
  const auto found = ends({{at(0, device0), at(0, device1), 20'000'000}, {at(0, device1), at(0, device0), 20'000'000}});
  EXPECT_NEAR(found[0], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 1e-3 + 3e-6, near);
}

TEST_P(Simulate, ASharedResourceLimitsItsFlowsTogether) {
  const std::vector<SharedResource> rank{{"rank 0", 1 * giga}};
  const auto found = ends({{at(0, device0), at(0, device1), 1'000'000, 0, {0}},
                           {at(0, device1), at(0, device0), 1'000'000, 0, {0}},
                           {at(1, device1), at(1, device0), 1'000'000}},
                          rank);
  EXPECT_NEAR(found[0], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[2], 5e-5 + 3e-6, near);
}

TEST_P(Simulate, WhatWaitsStartsWhenTheLastHasEnded) {
  const Flow flow{at(0, device0), at(0, device1), 20'000'000};
  Flow other{at(1, device0), at(1, device1), 40'000'000};
  Flow last = flow;
  last.after = {0, 1};
  const auto found = ends({flow, other, last});
  EXPECT_NEAR(found[1], 2e-3 + 3e-6, near);
  EXPECT_NEAR(found[2], 3e-3 + 6e-6, near);
}

TEST_P(Simulate, WhatIsListedTwiceCountsOnce) {
  const std::vector<SharedResource> rank{{"rank 0", 1 * giga}};
  const Flow first{at(0, device0), at(0, device1), 1'000'000, 0, {0, 0}};
  const Flow second{at(0, device0), at(0, device1), 1'000'000, 0, {}, {0, 0}};
  const Simulated found = simulate(net, rank, std::vector<Flow>{first, second}, GetParam());
  EXPECT_NEAR(found.ends[0], 1e-3 + 3e-6, near);
  EXPECT_NEAR(found.ends[1], 1e-3 + 3e-6 + 5e-5 + 3e-6, near);
  EXPECT_EQ(found.levels[0].bytes, 1'000'000);
}

TEST_P(Simulate, NothingTakesNoTime) {
  const Simulated none = simulate(net, {}, {}, GetParam());
  EXPECT_EQ(none.seconds, 0);
  EXPECT_TRUE(none.levels.empty());
  // A place that reaches itself over nothing.
  EXPECT_NEAR(ends({{at(0, 0), at(0, 0), 1'000'000}})[0], 0, near);
}

/// Flows of many sizes between all devices of three nodes, in stages.
std::vector<Flow> tangle() {
  std::vector<Flow> flows;
  for (int from = 0; from < 6; ++from) {
    for (int to = 0; to < 6; ++to) {
      Flow flow{at(from / 2, device0 + from % 2), at(to / 2, device0 + to % 2), 100'003 * (7 * from + to + 1)};
      if (to > 0) flow.after = {6 * from + to - 1};
      if (to % 3 == 0) flow.after.clear();
      flow.latency = to * 1e-6;
      flows.push_back(flow);
    }
  }
  return flows;
}

TEST_P(Simulate, TheOrderOfFlowsDoesNotMatter) {
  const std::vector<Flow> flows = tangle();
  const Simulated straight = simulate(net, {}, flows, GetParam());
  std::vector<Flow> turned(flows.rbegin(), flows.rend());
  const auto mirrored = [&](int f) { return static_cast<int>(flows.size()) - 1 - f; };
  for (Flow& flow : turned) {
    for (int& before : flow.after) before = mirrored(before);
  }
  const Simulated reversed = simulate(net, {}, turned, GetParam());
  for (std::size_t f = 0; f < flows.size(); ++f) {
    EXPECT_NEAR(straight.ends[f], reversed.ends[flows.size() - 1 - f], near) << f;
  }
  ASSERT_EQ(straight.levels.size(), reversed.levels.size());
  for (std::size_t l = 0; l < straight.levels.size(); ++l) {
    EXPECT_EQ(straight.levels[l].busiest, reversed.levels[l].busiest);
  }
}

TEST_P(Simulate, TwoSimulationsInOneProcessAreEqual) {
  const std::vector<Flow> flows = tangle();
  EXPECT_EQ(ends(flows), ends(flows));
}

TEST_P(Simulate, EndsOfVeryManyFlowsAreRoundedALittle) {
  std::vector<Flow> flows;
  double bytes = 0;
  for (int f = 0; f < 10'000; ++f) {
    flows.push_back({at(0, device0), at(0, device1), 1'000 * (1 + f % 5)});
    bytes += static_cast<double>(flows.back().bytes);
  }
  const double seconds = bytes / (20 * giga) + 3e-6;
  const Simulated found = simulate(net, {}, flows, GetParam());
  EXPECT_NEAR(found.seconds, seconds, 1e-4 * seconds);
  // All share alike until the first fifth has ended: each has had 1,000 bytes.
  EXPECT_NEAR(found.ends[0], 10'000 * 1'000 / (20 * giga) + 3e-6, 1e-4 * seconds);
}

TEST_P(Simulate, LevelsSayWhatIsBusiest) {
  const std::vector<SharedResource> rank{{"rank 7", 4 * giga}};
  const Simulated found = simulate(net, rank,
                                   std::vector<Flow>{{at(0, device0), at(0, device1), 20'000'000, 0, {0}},
                                                     {at(1, device1), at(1, device0), 40'000'000}},
                                   GetParam());
  ASSERT_EQ(found.levels.size(), 2U);
  EXPECT_EQ(found.levels[0].level, "rank");
  EXPECT_EQ(found.levels[0].busiest, "rank 7");
  EXPECT_DOUBLE_EQ(found.levels[0].busy_seconds, 5e-3);
  EXPECT_EQ(found.levels[1].level, "nvlink");
  EXPECT_EQ(found.levels[1].used, 2);
  EXPECT_EQ(found.levels[1].bytes, 60'000'000);
  EXPECT_EQ(found.levels[1].busiest, "node1: right -> left");
  EXPECT_DOUBLE_EQ(found.levels[1].busy_seconds, 2e-3);
  EXPECT_NEAR(found.seconds, 5e-3 + 3e-6, near);
}

std::string refusal_of(const std::vector<Flow>& flows, const std::vector<SharedResource>& resources = {}) {
  try {
    (void)simulate(Interconnect(map_of(1, 1)), resources, flows);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST_P(Simulate, SaysWhatDoesNotFit) {
  const Flow flow{at(0, device0), at(0, device1), 1};
  Flow bad = flow;
  bad.bytes = -1;
  EXPECT_EQ(refusal_of({flow, bad}), "bytes of flow 1 are -1; allowed is 0 or more");
  bad = flow;
  bad.resources = {1};
  EXPECT_EQ(refusal_of({bad}, {{"rank", 1}}), "flow 0 names resource 1; allowed is one of the 1 there are, from 0 on");
  bad = flow;
  bad.after = {2};
  EXPECT_EQ(refusal_of({flow, bad}), "flow 1 names flow 2; allowed is one of the 2 there are, from 0 on");
  bad.after = {1};
  EXPECT_EQ(refusal_of({flow, bad}),
            "flow 1 waits for flows that wait for themselves; allowed is an order without circles");
  bad = flow;
  bad.latency = -1;
  EXPECT_THAT(refusal_of({bad}), HasSubstr("latency of flow 0 is -1; allowed is"));
  EXPECT_THAT(refusal_of({flow}, {{"rank 3", 0}}), HasSubstr("'rank 3' is 0; allowed is a finite number above 0"));
}

/// A cube of 2 devices, cut in x: each sends two faces to the other, and y and z wrap around.
class SimulateExchange : public Simulate {
 protected:
  /// nodes x devices a node = 2.
  Simulated exchange(std::int64_t nodes, Transport between, const machine::Software& software = {}) {
    const Grids grids{{nodes, 1, 1}, {2 / nodes, 1, 1}};
    const auto geometry = geometry_of({512, 256, 256}, grids, Radius::faces(1), {field_of(Element::f32)});
    MachineMap map = map_of(nodes, 1);
    map.software = software;
    if (nodes == 2) {  // with the left device alone
      for (auto& rank : map.ranks) rank.devices.resize(1);
    }
    placement::Placement placement;
    placement.slots = placement::slots_of(map);
    std::vector<routing::Route> routes;
    for (const int from : {0, 1}) {
      for (const int to : {0, 1}) {
        routes.push_back({subdomain_id(from), subdomain_id(to), from == to ? Transport::self : between, ""});
      }
    }
    return simulate_exchange(geometry, placement, routes, map, GetParam());
  }
  static constexpr double face = 256 * 256 * 4;
  /// 2 faces in y and 2 in z, read and written in the device's memory.
  static constexpr double wrap = 2 * 4 * face;
  /// 2 faces in x, to the other device.
  static constexpr double sent = 2 * face;
  static constexpr double memory = 100 * giga;
};

TEST_P(SimulateExchange, DirectTakesTheLinkBesideTheDevicesMemory) {
  const Simulated found = exchange(1, Transport::direct);
  EXPECT_NEAR(found.ends[0], wrap / memory, near);
  EXPECT_NEAR(found.ends[1], sent / (20 * giga) + 3e-6, near);
  EXPECT_NEAR(found.seconds, sent / (20 * giga) + 3e-6, near);
}

TEST_P(SimulateExchange, CopiesArePackedAndUnpacked) {
  const Simulated found = exchange(1, Transport::peer_copy);
  // Memory is shared by pack (read and written) and wrap until the pack has ended; the wrap's rest is done long before the unpack.
  const double pack = 2 * (2 * sent) / memory;
  const double link = sent / (20 * giga) + 3e-6;
  EXPECT_NEAR(found.ends[0], (wrap + 2 * sent) / memory, near);
  EXPECT_NEAR(found.ends[1], pack + link + 2 * sent / memory, near);
}

TEST_P(SimulateExchange, StagedMessagesTakeEachStageAfterTheOther) {
  const Simulated found = exchange(2, Transport::mpi_staged);
  const double pack = 2 * (2 * sent) / memory;
  const double pcie = sent / (10 * giga) + 1e-6;
  const double network = sent / (4 * giga) + 4e-6;
  EXPECT_NEAR(found.ends[1], pack + pcie + network + pcie + 2 * sent / memory, near);
  EXPECT_NEAR(found.ends[2], found.ends[1], near);
}

TEST_P(SimulateExchange, DeviceMpiGoesStraightToTheNetwork) {
  const Simulated found = exchange(2, Transport::mpi_device);
  const double pack = 2 * (2 * sent) / memory;
  EXPECT_NEAR(found.ends[1], pack + 2e-6 + 4e-6 + sent / (4 * giga) + 2 * sent / memory, near);
}

TEST_P(SimulateExchange, RanksLimitWhatMpiMoves) {
  const double pack = 2 * (2 * sent) / memory;
  const Simulated over_network = exchange(2, Transport::mpi_device, {.mpi_injection = 1 * giga, .mpi_latency = 7e-6});
  EXPECT_NEAR(over_network.ends[1], pack + 7e-6 + 2e-6 + 4e-6 + sent / giga + 2 * sent / memory, near);
  EXPECT_EQ(over_network.levels.front().level, "rank");
  // One rank has both devices: its copying serves both messages.
  const double pcie = sent / (10 * giga) + 1e-6;
  const double other_pcie = sent / (5 * giga) + 2e-6;
  const Simulated within = exchange(1, Transport::mpi_staged, {.mpi_copy = 1 * giga});
  EXPECT_EQ(within.levels.front().level, "rank");
  EXPECT_GT(within.seconds, 2 * sent / giga + pack + std::min(pcie, other_pcie));
  EXPECT_LT(within.seconds, 2 * sent / giga + pack + pcie + other_pcie + 2 * sent / memory + near);
  // From device to device nothing is copied in the host's memory.
  const Simulated devices = exchange(1, Transport::mpi_device, {.mpi_copy = 1 * giga, .mpi_device_latency = 9e-6});
  EXPECT_NEAR(devices.ends[1], pack + 9e-6 + 3e-6 + sent / (20 * giga) + 2 * sent / memory, near);
}

TEST_P(SimulateExchange, SerialisedMessagesFollowEachOther) {
  const double pack = 2 * (2 * sent) / memory;
  const double link = sent / (20 * giga) + 3e-6;
  const Simulated found = exchange(1, Transport::mpi_device, {.mpi_serialises_streams = true});
  EXPECT_NEAR(found.ends[1], pack + link + 2 * sent / memory, near);
  EXPECT_NEAR(found.ends[2], pack + 2 * link + 2 * sent / memory, near);
  // Queues of copies belong to devices, of which each has one message here.
  const Simulated copies = exchange(1, Transport::peer_copy, {.serial_copies = true});
  EXPECT_NEAR(copies.ends[1], copies.ends[2], near);
}

TEST_P(SimulateExchange, ADevicesCopiesFollowEachOther) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {2, 1, 1}}, Radius::faces(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 1);
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  std::vector<routing::Route> routes;
  for (const int to : {1, 3}) routes.push_back({subdomain_id(0), subdomain_id(to), Transport::peer_copy, ""});
  const double packed = 2 * 2 * face / memory;
  const double unpack = 2 * face / memory;
  const double link = face / (20 * giga) + 3e-6;
  const double network = face / (4 * giga) + 7e-6;
  const auto at_once = simulate_exchange(geometry, placement, routes, map, GetParam()).ends;
  EXPECT_NEAR(at_once[0], packed + link + unpack, near);
  EXPECT_NEAR(at_once[1], packed + network + unpack, near);
  map.software.serial_copies = true;
  const auto serial = simulate_exchange(geometry, placement, routes, map, GetParam()).ends;
  EXPECT_NEAR(serial[0], at_once[0], near);
  EXPECT_NEAR(serial[1], packed + link + network + unpack, near);
}

TEST_P(SimulateExchange, SaysWhatDoesNotFit) {
  try {
    (void)exchange(1, Transport::direct, {.mpi_copy = -1});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "software.mpi_copy is -1; allowed is a finite number, 0 or more");
  }
  const auto geometry = geometry_of({8, 4, 4}, {{1, 1, 1}, {2, 1, 1}}, Radius::faces(0), {field_of(Element::f32)});
  placement::Placement placement;
  const MachineMap map = map_of(1, 1);
  placement.slots = placement::slots_of(map);
  const std::vector<routing::Route> routes{{subdomain_id(0), subdomain_id(1), Transport::direct, ""}};
  EXPECT_THROW((void)simulate_exchange(geometry, placement, routes, map, GetParam()), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Simulate, testing::ValuesIn(all_solvers), solver_name);
INSTANTIATE_TEST_SUITE_P(Solvers, SimulateExchange, testing::ValuesIn(all_solvers), solver_name);

}  // namespace
}  // namespace halocline::model

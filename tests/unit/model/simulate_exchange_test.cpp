// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "halocline/error.hpp"
#include "model/exchange_flows.hpp"
#include "model/simulate.hpp"
#include "placement/placement.hpp"
#include "unit/model/simulate_support.hpp"

namespace halocline::model {
namespace {

using testing::HasSubstr;

/// A cube on 2 devices, cut in x: each sends two faces to the other; y and z are periodic within each device.
class SimulateExchange : public Simulate {
 protected:
  /// nodes x devices a node = 2.
  Simulated exchange(std::int64_t nodes, Transport between, const machine::Software& software = {}) {
    const Grids grids{{nodes, 1, 1}, {2 / nodes, 1, 1}};
    const auto geometry = geometry_of({512, 256, 256}, grids, Stencil::star(1), {field_of(Element::f32)});
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
    return simulate_exchange(geometry, placement, routes, map);
  }
  static constexpr double face = 256 * 256 * 4;
  /// 2 faces in y and 2 in z, read and written in the device's memory.
  static constexpr double wrap = 2 * 4 * face;
  /// 2 faces in x, to the other device.
  static constexpr double sent = 2 * face;
  static constexpr double memory = 100 * giga;
};

TEST_F(SimulateExchange, DirectTakesTheLinkBesideTheDevicesMemory) {
  const Simulated found = exchange(1, Transport::direct);
  EXPECT_NEAR(found.ends[0], wrap / memory, near);
  EXPECT_NEAR(found.ends[1], sent / (20 * giga) + 3e-6, near);
  EXPECT_NEAR(found.seconds, sent / (20 * giga) + 3e-6, near);
}

TEST_F(SimulateExchange, CopiesArePackedAndUnpacked) {
  const Simulated found = exchange(1, Transport::peer_copy);
  // Pack (read and written) and local copies share the memory until the pack has ended; local copies end long before
  // the unpack.
  const double pack = 2 * (2 * sent) / memory;
  const double link = sent / (20 * giga) + 3e-6;
  EXPECT_NEAR(found.ends[0], (wrap + 2 * sent) / memory, near);
  EXPECT_NEAR(found.ends[1], pack + link + 2 * sent / memory, near);
}

TEST_F(SimulateExchange, StagedMessagesTakeEachStageAfterTheOther) {
  const Simulated found = exchange(2, Transport::mpi_staged);
  const double pack = 2 * (2 * sent) / memory;
  const double pcie = sent / (10 * giga) + 1e-6;
  const double network = sent / (4 * giga) + 4e-6;
  EXPECT_NEAR(found.ends[1], pack + pcie + network + pcie + 2 * sent / memory, near);
  EXPECT_NEAR(found.ends[2], found.ends[1], near);
}

TEST_F(SimulateExchange, DeviceMpiGoesStraightToTheNetwork) {
  const Simulated found = exchange(2, Transport::mpi_device);
  const double pack = 2 * (2 * sent) / memory;
  EXPECT_NEAR(found.ends[1], pack + 2e-6 + 4e-6 + sent / (4 * giga) + 2 * sent / memory, near);
}

TEST_F(SimulateExchange, NcclMovesWhatDeviceMpiDoesButLaunchesOnceForAllMessages) {
  EXPECT_EQ(exchange(2, Transport::nccl).ends, exchange(2, Transport::mpi_device).ends);
  // Three launches, after the one of the device's own message; nothing is handed to the receiver's device.
  const double pack = 2 * sent / memory;
  const Simulated found = exchange(2, Transport::nccl, {.device_launch = 5e-6});
  EXPECT_NEAR(found.ends[1], 5e-6 + wrap / memory + pack + 2e-6 + 4e-6 + sent / (4 * giga) + pack, near);
  EXPECT_NEAR(found.levels.back().busy_seconds, 4 * 5e-6, near) << found.levels.back().level;
}

/// Studies change these flows, which must equal the flows that are simulated, each with the rank that sends it.
TEST_F(SimulateExchange, FlowsForStudiesAreThoseThatAreSimulated) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {1, 2, 1}}, Stencil::star(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 2);
  map.software = {.mpi_injection = 1 * giga, .mpi_overhead = 1e-6};
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  const std::vector<routing::Route> routes{{subdomain_id(0), subdomain_id(1), Transport::direct, ""},
                                           {subdomain_id(0), subdomain_id(2), Transport::mpi_staged, ""},
                                           {subdomain_id(3), subdomain_id(1), Transport::mpi_device, ""}};
  const Interconnect links(map);
  const ExchangeFlows found = exchange_flows(geometry, placement, routes, map, links);
  EXPECT_EQ(simulate(links, found.resources, found.flows).seconds,
            simulate_exchange(geometry, placement, routes, map).seconds);
  ASSERT_EQ(found.senders.size(), found.flows.size());
  const auto sent_by = [&](std::int64_t rank) { return std::ranges::count(found.senders, rank_id(rank)); };
  EXPECT_EQ(sent_by(0), 1 + 7) << "a copy; pack, work, PCIe, network, work, PCIe, unpack";
  EXPECT_EQ(sent_by(3), 5) << "pack, work, network, work, unpack";
  EXPECT_TRUE(std::ranges::is_sorted(found.senders));
}

TEST_F(SimulateExchange, RanksLimitWhatMpiMoves) {
  const double pack = 2 * (2 * sent) / memory;
  const Simulated over_network = exchange(2, Transport::mpi_device, {.mpi_injection = 1 * giga, .mpi_latency = 7e-6});
  EXPECT_NEAR(over_network.ends[1], pack + 7e-6 + 2e-6 + 4e-6 + sent / giga + 2 * sent / memory, near);
  EXPECT_EQ(over_network.levels.front().level, "rank");
  // One rank drives both devices: its copy bandwidth serves both messages.
  const double pcie = sent / (10 * giga) + 1e-6;
  const double other_pcie = sent / (5 * giga) + 2e-6;
  const Simulated within = exchange(1, Transport::mpi_staged, {.mpi_copy = 1 * giga});
  EXPECT_EQ(within.levels.front().level, "rank");
  EXPECT_GT(within.seconds, 2 * sent / giga + pack + std::min(pcie, other_pcie));
  EXPECT_LT(within.seconds, 2 * sent / giga + pack + pcie + other_pcie + 2 * sent / memory + near);
  // Between devices nothing is copied through host memory.
  const Simulated devices = exchange(1, Transport::mpi_device, {.mpi_copy = 1 * giga, .mpi_device_latency = 9e-6});
  EXPECT_NEAR(devices.ends[1], pack + 9e-6 + 3e-6 + sent / (20 * giga) + 2 * sent / memory, near);
}

TEST_F(SimulateExchange, ACoreDoesAllOfARanksWork) {
  // One rank drives both devices: four launches in sequence, 5 us each, precede everything else.
  const double pack = 2 * (2 * sent) / memory;
  const double link = sent / (20 * giga) + 3e-6;
  const Simulated plain = exchange(1, Transport::direct, {.device_launch = 5e-6});
  EXPECT_NEAR(plain.ends[0], 5e-6 + wrap / memory, near) << "self is the first message";
  EXPECT_NEAR(plain.ends[1], 10e-6 + link, near);
  EXPECT_NEAR(plain.ends[3], 20e-6 + wrap / memory, near);
  // Each of two ranks sends and receives one message over the network: software overhead at both ends.
  const double network = 2e-6 + 4e-6 + sent / (4 * giga);
  const Simulated found = exchange(2, Transport::mpi_device, {.mpi_latency = 7e-6, .mpi_overhead = 9e-6});
  EXPECT_NEAR(found.ends[1], pack + 9e-6 + 7e-6 + network + 9e-6 + 2 * sent / memory, near);
  EXPECT_EQ(found.levels.back().level, "core");
  EXPECT_NEAR(found.levels.back().busy_seconds, 18e-6, near);
}

TEST_F(SimulateExchange, OneCoreSendsAndReceivesInTurns) {
  // Both messages at once at half the rate, limited by one core of each rank.
  const machine::Software software{.mpi_injection = 1 * giga};
  machine::Software one_core = software;
  one_core.one_core = true;
  const double apart = exchange(2, Transport::mpi_device, software).seconds;
  const Simulated together = exchange(2, Transport::mpi_device, one_core);
  EXPECT_NEAR(together.seconds - apart, sent / giga, near);
  EXPECT_EQ(together.levels.front().level, "core");
  EXPECT_THAT(together.levels.front().busiest, HasSubstr("core of rank"));
  EXPECT_NEAR(together.levels.front().busy_seconds, 2 * sent / giga, near);
}

TEST_F(SimulateExchange, SerialisedMessagesFollowEachOther) {
  const double pack = 2 * (2 * sent) / memory;
  const double link = sent / (20 * giga) + 3e-6;
  const Simulated found = exchange(1, Transport::mpi_device, {.mpi_serialises_streams = true});
  EXPECT_NEAR(found.ends[1], pack + link + 2 * sent / memory, near);
  EXPECT_NEAR(found.ends[2], pack + 2 * link + 2 * sent / memory, near);
  // Copy queues belong to devices; each device has one message here.
  const Simulated copies = exchange(1, Transport::peer_copy, {.serial_copies = true});
  EXPECT_NEAR(copies.ends[1], copies.ends[2], near);
}

TEST_F(SimulateExchange, ADevicesCopiesFollowEachOther) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {2, 1, 1}}, Stencil::star(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 1);
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  std::vector<routing::Route> routes;
  for (const int to : {1, 3}) routes.push_back({subdomain_id(0), subdomain_id(to), Transport::peer_copy, ""});
  const double packed = 2 * 2 * face / memory;
  const double unpack = 2 * face / memory;
  const double link = face / (20 * giga) + 3e-6;
  const double network = face / (4 * giga) + 7e-6;
  const auto at_once = simulate_exchange(geometry, placement, routes, map).ends;
  EXPECT_NEAR(at_once[0], packed + link + unpack, near);
  EXPECT_NEAR(at_once[1], packed + network + unpack, near);
  map.software.serial_copies = true;
  const auto serial = simulate_exchange(geometry, placement, routes, map).ends;
  EXPECT_NEAR(serial[0], at_once[0], near);
  EXPECT_NEAR(serial[1], packed + link + network + unpack, near);
}

/// Two ranks with two devices each, all of which are neighbours: four messages become one in each direction.
TEST_F(SimulateExchange, ABundlePaysForOneMessage) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {2, 1, 1}}, Stencil::star(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 1);
  map.software = {.mpi_latency = 7e-6, .mpi_overhead = 100e-6};
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  // Subdomains 0, 1 are on the first node, 2, 3 on the second: 1 -> 2 and 0 -> 3 cross.
  const std::vector<routing::Route> routes{{subdomain_id(0), subdomain_id(3), Transport::mpi_staged, ""},
                                           {subdomain_id(1), subdomain_id(2), Transport::mpi_staged, ""}};
  const double packed = 2 * 2 * face / memory / 2;
  const double pcie = face / (10 * giga) + 1e-6;
  const double bundle = 7e-6 + 4e-6 + 2 * face / (4 * giga);
  const double unpack = 2 * face / memory;
  const Simulated found = simulate_exchange(geometry, placement, routes, map, routing::Messages::by_rank);
  ASSERT_EQ(found.ends.size(), 2u);
  for (const double end : found.ends) EXPECT_GT(end, packed + pcie + 100e-6 + bundle + 100e-6 + pcie + unpack - near);
  const auto core_seconds = [](const Simulated& simulated) {
    return std::ranges::find(simulated.levels, "core", &LevelLoad::level)->busy_seconds;
  };
  EXPECT_NEAR(core_seconds(found), 100e-6, near) << "once at each end";
  EXPECT_NEAR(core_seconds(simulate_exchange(geometry, placement, routes, map)), 200e-6, near);
  // Without a cost of each message, what travels together waits for the last part, and gains nothing.
  map.software = {};
  EXPECT_GE(simulate_exchange(geometry, placement, routes, map, routing::Messages::by_rank).seconds,
            simulate_exchange(geometry, placement, routes, map).seconds - near);
}

/// Two nodes of two ranks with a device each: by rank every rank sends two messages, by node one rank of each node sends one.
TEST_F(SimulateExchange, ABundleOfANodePaysForOneMessage) {
  const auto geometry = geometry_of({512, 256, 256}, {{2, 1, 1}, {1, 2, 1}}, Stencil::box(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 2);
  map.software = {.mpi_latency = 7e-6, .mpi_overhead = 100e-6};
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  std::vector<routing::Route> routes;
  for (const int from : {0, 1}) {
    for (const int to : {2, 3}) {
      routes.push_back({subdomain_id(from), subdomain_id(to), Transport::mpi_staged, ""});
    }
  }
  const auto simulated = [&](routing::Messages messages) {
    return simulate_exchange(geometry, placement, routes, map, messages);
  };
  const auto core_seconds = [](const Simulated& found) {
    return std::ranges::find(found.levels, "core", &LevelLoad::level)->busy_seconds;
  };
  EXPECT_NEAR(core_seconds(simulated(routing::Messages::by_neighbour)), 200e-6, near);
  EXPECT_NEAR(core_seconds(simulated(routing::Messages::by_rank)), 200e-6, near);
  const Simulated found = simulated(routing::Messages::by_node);
  EXPECT_NEAR(core_seconds(found), 100e-6, near) << "once at each end";
  ASSERT_EQ(found.ends.size(), 4u);
  const double pcie = 1e-6;
  const double network = 7e-6 + 4e-6 + 2 * face / (4 * giga);  // without edges
  for (const double end : found.ends) EXPECT_GT(end, pcie + 100e-6 + network + 100e-6 + pcie);
  // All parts of a device are packed, and unpacked, by the same launches.
  map.software = {.device_launch = 10e-6};
  EXPECT_NEAR(core_seconds(simulated(routing::Messages::by_neighbour)), 40e-6, near);
  EXPECT_NEAR(core_seconds(simulated(routing::Messages::by_node)), 20e-6, near);
  // Without a cost of each message, what travels together waits for the last part, and gains nothing.
  map.software = {};
  EXPECT_GE(simulated(routing::Messages::by_node).seconds, simulated(routing::Messages::by_neighbour).seconds - near);
}

/// Two subdomains that meet on both sides of x: a message each, or one for each direction.
TEST_F(SimulateExchange, MessagesByDirectionAreEachPaidFor) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {1, 1, 1}}, Stencil::star(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 1);
  for (auto& rank : map.ranks) rank.devices.resize(1);
  map.software = {.mpi_overhead = 100e-6};
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  const auto simulated = [&](Transport transport, routing::Messages messages) {
    return simulate_exchange(geometry, placement,
                             std::vector<routing::Route>{{subdomain_id(0), subdomain_id(1), transport, ""}}, map,
                             messages);
  };
  const auto core_seconds = [](const Simulated& found) {
    return std::ranges::find(found.levels, "core", &LevelLoad::level)->busy_seconds;
  };
  for (const Transport transport : {Transport::mpi_staged, Transport::mpi_device}) {
    EXPECT_NEAR(core_seconds(simulated(transport, routing::Messages::by_neighbour)), 100e-6, near);
    const Simulated found = simulated(transport, routing::Messages::by_direction);
    EXPECT_NEAR(core_seconds(found), 200e-6, near);
    ASSERT_EQ(found.ends.size(), 1u) << "a route ends with its last message";
    EXPECT_NEAR(found.ends[0], found.seconds, near);
  }
  EXPECT_EQ(simulated(Transport::direct, routing::Messages::by_direction).seconds,
            simulated(Transport::direct, routing::Messages::by_neighbour).seconds);
}

/// Two ranks of a node send a message each; the node has one core, or two.
TEST_F(SimulateExchange, RanksShareTheCoresOfTheirNode) {
  const auto geometry =
      geometry_of({512, 256, 256}, {{2, 1, 1}, {1, 2, 1}}, Stencil::star(1), {field_of(Element::f32)});
  MachineMap map = map_of(2, 2);
  map.software = {.mpi_overhead = 1};
  placement::Placement placement;
  placement.slots = placement::slots_of(map);
  const std::vector<routing::Route> routes{{subdomain_id(0), subdomain_id(2), Transport::mpi_staged, ""},
                                           {subdomain_id(1), subdomain_id(3), Transport::mpi_staged, ""}};
  const double unknown = simulate_exchange(geometry, placement, routes, map).seconds;
  EXPECT_NEAR(unknown, 2, 0.01) << "each rank has a core";
  map.types[0].vertices[0].cores = 2;
  EXPECT_NEAR(simulate_exchange(geometry, placement, routes, map).seconds, unknown, near);
  map.types[0].vertices[0].cores = 1;
  const Simulated shared = simulate_exchange(geometry, placement, routes, map);
  EXPECT_NEAR(shared.seconds, 4, 0.01);
  EXPECT_THAT(shared.levels.front().busiest, HasSubstr("cores of node"));
}

TEST_F(SimulateExchange, SaysWhatDoesNotFit) {
  try {
    (void)exchange(1, Transport::direct, {.mpi_copy = -1});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "software.mpi_copy is -1; allowed is a finite number, 0 or more, at most 1e+18");
  }
  const auto geometry = geometry_of({8, 4, 4}, {{1, 1, 1}, {2, 1, 1}}, Stencil::star(0), {field_of(Element::f32)});
  placement::Placement placement;
  const MachineMap map = map_of(1, 1);
  placement.slots = placement::slots_of(map);
  const std::vector<routing::Route> routes{{subdomain_id(0), subdomain_id(1), Transport::direct, ""}};
  EXPECT_THROW((void)simulate_exchange(geometry, placement, routes, map), InvalidArgument);
}

}  // namespace
}  // namespace halocline::model

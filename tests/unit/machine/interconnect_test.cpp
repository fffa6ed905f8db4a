// SPDX-License-Identifier: BSD-3-Clause
#include "machine/interconnect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "halocline/error.hpp"
#include "io/json.hpp"
#include "machine/paths.hpp"
#include "machine/synthetic.hpp"
#include "support/random_machine.hpp"

namespace halocline::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MachineMap summit() { return io::read_machine_file(HALOCLINE_MACHINES "/summit.json"); }
MachineMap dgx() { return io::read_machine_file(HALOCLINE_MACHINES "/dgx-h200.json"); }

std::vector<std::int64_t> path(const Interconnect& net, const Place& from, const Place& to) {
  std::vector<std::int64_t> ids;
  net.route(from, to, ids);
  return ids;
}

std::vector<std::string> names(const Interconnect& net, const Place& from, const Place& to) {
  std::vector<std::string> all;
  for (const std::int64_t id : path(net, from, to)) all.push_back(net.name(id));
  return all;
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
    return "not refused";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Interconnect, WithinANodeOfSummit) {
  const Interconnect net(summit());
  const auto v100 = [&](int d) { return net.device(node_id(3), device_id(d)); };
  EXPECT_EQ(v100(0).vertex, 4);
  EXPECT_THAT(names(net, v100(0), v100(2)), ElementsAre("summit-3: Tesla V100-SXM2-16GB 0 -> Tesla V100-SXM2-16GB 2"));
  EXPECT_THAT(names(net, v100(1), v100(5)),
              ElementsAre("summit-3: Tesla V100-SXM2-16GB 1 -> POWER9 0", "summit-3: POWER9 0 -> POWER9 1",
                          "summit-3: POWER9 1 -> Tesla V100-SXM2-16GB 5"));
  EXPECT_THAT(names(net, v100(5), v100(1)),
              ElementsAre("summit-3: Tesla V100-SXM2-16GB 5 -> POWER9 1", "summit-3: POWER9 1 -> POWER9 0",
                          "summit-3: POWER9 0 -> Tesla V100-SXM2-16GB 1"));
  const auto ids = path(net, v100(1), v100(5));
  EXPECT_EQ(net.channel(ids[0]), (Channel{LinkKind::nvlink, 50e9, 0.7e-6}));
  EXPECT_EQ(net.channel(ids[1]), (Channel{LinkKind::inter_package, 64e9, 0.2e-6}));
}

TEST(Interconnect, APlaceReachesItselfOverItsMemory) {
  const Interconnect net(summit());
  EXPECT_THAT(names(net, {node_id(0), 4}, {node_id(0), 4}), ElementsAre("summit-0: Tesla V100-SXM2-16GB 0 memory"));
  EXPECT_THAT(names(net, {node_id(0), 3}, {node_id(0), 3}),
              ElementsAre("summit-0: DDR4 1 -> POWER9 1", "summit-0: POWER9 1 -> DDR4 1"));
  EXPECT_THAT(names(net, {node_id(0), 1}, {node_id(0), 1}), IsEmpty()) << "a package has no memory of its own";
  EXPECT_EQ(net.channel(path(net, {node_id(0), 4}, {node_id(0), 4}).at(0)), (Channel{LinkKind::memory, 900e9, 0.5e-6}));
}

TEST(Interconnect, BetweenNodesOfSummitOverTheCardAndTheTree) {
  const Interconnect net(summit());
  const Place here = net.device(node_id(0), device_id(0));
  EXPECT_THAT(names(net, here, {node_id(17), 3}),
              ElementsAre("summit-0: Tesla V100-SXM2-16GB 0 -> POWER9 0", "summit-0: POWER9 0 -> ConnectX-5 dual EDR",
                          "fabric port of summit-0 out", "fabric port of summit-17 in",
                          "summit-17: ConnectX-5 dual EDR -> POWER9 1", "summit-17: POWER9 1 -> DDR4 1"));
  const auto far = names(net, here, {node_id(18), 0});
  EXPECT_THAT(far, testing::Contains("fabric level 0 switch 0 up"));
  EXPECT_THAT(far, testing::Contains("fabric level 0 switch 1 down"));
}

TEST(Interconnect, DevicesTakeTheRailOfTheirOwnCard) {
  MachineMap map = dgx();
  ASSERT_EQ(map.network.fabric.rails, 8);
  const Interconnect net(map);
  for (int d = 0; d < 8; ++d) {
    const std::string n = std::to_string(d);
    EXPECT_THAT(names(net, net.device(node_id(0), device_id(d)), net.device(node_id(2), device_id(d))),
                ElementsAre("dgx-0: NVIDIA H200 " + n + " -> PCIe switch " + n,
                            "dgx-0: PCIe switch " + n + " -> ConnectX-7 " + n, "rail " + n + " port of dgx-0 out",
                            "rail " + n + " port of dgx-2 in", "dgx-2: ConnectX-7 " + n + " -> PCIe switch " + n,
                            "dgx-2: PCIe switch " + n + " -> NVIDIA H200 " + n));
  }
  // The rail of the sender is used.
  EXPECT_THAT(names(net, net.device(node_id(0), device_id(1)), net.device(node_id(2), device_id(6))),
              testing::Contains("dgx-2: ConnectX-7 1 -> PCIe switch 1"));
  const auto ids = path(net, net.device(node_id(0), device_id(1)), net.device(node_id(2), device_id(6)));
  EXPECT_EQ(net.channel(ids.at(2)), (Channel{LinkKind::network, 50e9, 0.75e-6})) << "a rail's share of the node's port";
}

TEST(Interconnect, EqualCardsAreDealtOutInTurn) {
  MachineMap map = synthetic({2, 4, 1});
  NodeType& type = map.types[0];  // package 0, switch 1, devices 2 to 5, card 6
  type.vertices.push_back({VertexKind::nic, "nic 1", 0, 0, -1});
  type.links.push_back({7, 0, LinkKind::pcie, 25e9, 1e-6});
  const Interconnect net(map);
  const auto card = [&](int d) { return names(net, net.device(node_id(0), device_id(d)), {node_id(1), 0}).at(1); };
  EXPECT_EQ(card(0), "node-0: package 0 -> nic 0");
  EXPECT_EQ(card(1), "node-0: package 0 -> nic 1");
  EXPECT_EQ(card(2), "node-0: package 0 -> nic 0");
  // A wider card serves all devices: now the package's PCIe, 25 GB/s, is what limits traffic of the package.
  type.links.back().bandwidth = 50e9;
  const Interconnect other(map);
  EXPECT_THAT(names(other, {node_id(0), 0}, {node_id(1), 0}).front(), "node-0: package 0 -> nic 1");
}

TEST(Interconnect, CardsBeyondTheRailsShareThem) {
  MachineMap map = dgx();
  map.network.fabric.rails = 2;
  const Interconnect net(map);
  EXPECT_THAT(names(net, net.device(node_id(0), device_id(5)), net.device(node_id(1), device_id(5))),
              ElementsAre("dgx-0: NVIDIA H200 5 -> PCIe switch 5", "dgx-0: PCIe switch 5 -> ConnectX-7 5",
                          "rail 1 port of dgx-0 out", "rail 1 port of dgx-1 in", "dgx-1: ConnectX-7 5 -> PCIe switch 5",
                          "dgx-1: PCIe switch 5 -> NVIDIA H200 5"));
}

TEST(Interconnect, DevicesOfARackMeetAtItsSwitch) {
  MachineMap map = synthetic({3, 2, 1});
  map.nodes[0].rack = map.nodes[1].rack = 4;
  map.nodes[2].rack = 5;
  const Interconnect net(map);
  const auto to = [&](int node) {
    return names(net, net.device(node_id(0), device_id(0)), net.device(node_id(node), device_id(1)));
  };
  EXPECT_THAT(to(1), ElementsAre("node-0: device 0 -> switch 0", "node-1: switch 0 -> device 1"));
  EXPECT_THAT(to(2), testing::Contains("fabric port of node-0 out"));
  EXPECT_THAT(names(net, {node_id(0), 0}, {node_id(1), 0}), testing::Contains("fabric port of node-0 out"))
      << "packages are no devices";
  map.types.push_back(map.types[0]);
  map.types[1].vertices[3].load_store_domain = 1;
  map.nodes[1].type = 1;
  EXPECT_THAT(names(Interconnect(map), {node_id(0), 2}, {node_id(1), 3}),
              testing::Contains("fabric port of node-0 out"))
      << "another load/store domain";
}

TEST(Interconnect, RefusesWhatIsNotThere) {
  const Interconnect net(synthetic({2, 2, 1}));
  std::vector<std::int64_t> ids;
  EXPECT_THAT(refusal([&] { net.route({node_id(2), 0}, {node_id(0), 0}, ids); }), "node is 2; allowed is 0 to 1");
  EXPECT_THAT(refusal([&] { net.route({node_id(0), 0}, {node_id(), 0}, ids); }), "node is -1; allowed is 0 to 1");
  EXPECT_THAT(refusal([&] {
                net.route({node_id(0), 0}, {node_id(1), 5}, ids);
              }),
              "vertex is 5; node 1 ('node-1') has 5 vertices");
  EXPECT_THAT(refusal([&] { static_cast<void>(net.device(node_id(1), device_id(2))); }),
              "device is 2; node 1 has 2 devices");
  EXPECT_THAT(refusal([&] { static_cast<void>(net.channel(net.channel_count())); }), HasSubstr("channel is"));
  MachineMap apart = synthetic({2, 2, 1});
  apart.types[0].vertices.push_back({VertexKind::numa, "far", 0, 0, -1});
  const Interconnect loose(apart);
  EXPECT_THAT(refusal([&] {
                loose.route({node_id(0), 5}, {node_id(0), 0}, ids);
              }),
              "node type '2 devices, one switch' has no path from vertex 5 (far) to vertex 0 (package 0)");
  EXPECT_THAT(refusal([&] {
                loose.route({node_id(0), 5}, {node_id(1), 0}, ids);
              }),
              HasSubstr("has no path from vertex 5 (far) to the network"));
  apart.types[0].links[0].bandwidth = 0;
  EXPECT_THROW(Interconnect{apart}, InvalidArgument);
}

/// The two ends of each channel within a node, in the order of ids that the node type's links imply.
struct Ends {
  int from;
  int to;
};
std::vector<Ends> ends_of(const NodeType& type) {
  std::vector<Ends> ends;
  for (const Link& link : type.links) {
    ends.push_back({link.a, link.b});
    if (link.a != link.b) ends.push_back({link.b, link.a});
  }
  return ends;
}

TEST(Interconnect, PathsOfRandomNodesAreChainsAndTheBestOnes) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    test::Random random(seed);
    MachineMap map;
    map.types.push_back(test::random_type(random));
    map.nodes.push_back({"n", 0, {}, -1});
    const Interconnect net(map);
    const NodeType& type = map.types[0];
    const std::vector<Ends> ends = ends_of(type);
    ASSERT_EQ(net.channel_count(), std::ssize(ends) + 2);
    const int vertices = static_cast<int>(type.vertices.size());
    for (int from = 0; from < vertices; ++from) {
      for (int to = 0; to < vertices; ++to) {
        if (from == to) continue;
        const auto there = path(net, {node_id(0), from}, {node_id(0), to});
        int at = from;
        double width = std::numeric_limits<double>::infinity();
        double latency = 0;
        for (const std::int64_t id : there) {
          const Ends& link = ends[static_cast<std::size_t>(id)];
          ASSERT_EQ(link.from, at) << "seed " << seed;
          if (at != from) {
            const VertexKind kind = type.vertices[static_cast<std::size_t>(at)].kind;
            ASSERT_TRUE(kind != VertexKind::device && kind != VertexKind::nic) << "seed " << seed;
          }
          at = link.to;
          width = std::min(width, net.channel(id).bandwidth);
          latency += net.channel(id).latency;
        }
        ASSERT_EQ(at, to) << "seed " << seed;
        ASSERT_EQ(width, link_path(type, from, to).bandwidth);
        ASSERT_NEAR(latency, link_path(type, from, to).latency, 1e-15);
        auto back = path(net, {node_id(0), to}, {node_id(0), from});
        std::ranges::reverse(back);
        ASSERT_EQ(back.size(), there.size());
        for (std::size_t i = 0; i < there.size(); ++i) {
          const Ends& other = ends[static_cast<std::size_t>(back[i])];
          ASSERT_EQ(other.to, ends[static_cast<std::size_t>(there[i])].from);
          ASSERT_EQ(std::abs(back[i] - there[i]), 1) << "the other direction of the same link";
        }
      }
    }
  }
}

TEST(Interconnect, AllPlacesOfRandomMachinesReachEachOther) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const MachineMap map = test::random_machine(seed);
    const Interconnect net(map);
    std::vector<Place> places;
    for (std::size_t n = 0; n < map.nodes.size(); ++n) {
      const node_id node(static_cast<std::int64_t>(n));
      for (int v = 0; v < static_cast<int>(map.type_of(node).vertices.size()); ++v) places.push_back({node, v});
    }
    for (const Place& from : places) {
      for (const Place& to : places) {
        const auto ids = path(net, from, to);
        ASSERT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size()) << "seed " << seed;
        for (const std::int64_t id : ids) {
          ASSERT_GE(id, 0);
          ASSERT_LT(id, net.channel_count());
          ASSERT_GT(net.channel(id).bandwidth, 0);
        }
        if (from.node == to.node) continue;
        const auto ports = std::ranges::count_if(
            ids, [&](std::int64_t id) { return net.name(id).find(" port of ") != std::string::npos; });
        const bool rack = map.nodes[from.node.index()].rack >= 0 &&
                          map.nodes[from.node.index()].rack == map.nodes[to.node.index()].rack;
        ASSERT_TRUE(ports == 2 || (rack && ports == 0)) << "seed " << seed;
      }
    }
  }
}

TEST(Interconnect, AllOfSummitIsSmallAndHasEveryChannel) {
  MachineMap map = summit();
  map.nodes.clear();
  for (int n = 0; n < 4608; ++n) map.nodes.push_back({"summit-" + std::to_string(n), 0, {}, -1});
  const Interconnect net(map);
  // 17 links with two directions and 6 memories a node; ports; 256 leaf switches.
  EXPECT_EQ(net.channel_count(), 4608 * (17 * 2 + 6) + 4608 * 2 + 256 * 2);
  test::Random random(1);
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 100'000; ++i) {
    ids.clear();
    const Place from = net.device(node_id(random.below(4608)), device_id(random.below(6)));
    const Place to = net.device(node_id(random.below(4608)), device_id(random.below(6)));
    net.route(from, to, ids);
    ASSERT_LE(ids.size(), 8u);
    ASSERT_FALSE(ids.empty());
  }
}

}  // namespace
}  // namespace halocline::machine

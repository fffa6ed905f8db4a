// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "halocline/error.hpp"
#include "machine/interconnect.hpp"
#include "machine/names.hpp"
#include "support/random_machine.hpp"

namespace halocline::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Nodes of one package each, without network cards, so that a route consists of ports and fabric only.
MachineMap bare(int nodes, const Fabric& fabric) {
  MachineMap map;
  map.types.push_back({"bare", {{VertexKind::package, "package", 0, 1, -1}}, {}, {}, {}});
  for (int n = 0; n < nodes; ++n) map.nodes.push_back({"n" + std::to_string(n), 0, {}, -1});
  map.network = {10e9, 2e-6, fabric};
  return map;
}

Fabric of(Fabric::Shape shape) { return {1, std::move(shape)}; }

std::vector<std::string> names(const Interconnect& net, int from, int to) {
  std::vector<std::int64_t> path;
  net.route({node_id(from), 0}, {node_id(to), 0}, path);
  std::vector<std::string> all;
  for (const std::int64_t id : path) all.push_back(net.name(id));
  return all;
}

/// The channels between the two ports.
std::vector<std::string> between(const Interconnect& net, int from, int to) {
  std::vector<std::string> all = names(net, from, to);
  EXPECT_EQ(all.front(), "fabric port of n" + std::to_string(from) + " out");
  EXPECT_EQ(all.back(), "fabric port of n" + std::to_string(to) + " in");
  return {all.begin() + 1, all.end() - 1};
}

TEST(Crossbar, HasPortsOnly) {
  const Interconnect net(bare(3, {}));
  EXPECT_EQ(net.channel_count(), 6);
  EXPECT_THAT(between(net, 0, 2), IsEmpty());
  for (std::int64_t id = 0; id < 6; ++id) {
    EXPECT_EQ(net.channel(id), (Channel{LinkKind::network, 10e9, 1e-6}));
  }
}

TEST(Ports, PlaceNodesInTheFabric) {
  // Three nodes at places 5, 0 and 4 of switches of 4: the first two meet in the core, the first and the last on a switch.
  MachineMap map = bare(3, of(FatTree{{{4, {15e9, 1e-7}}}}));
  map.nodes[0].port = 5;
  map.nodes[1].port = 0;
  map.nodes[2].port = 4;
  const Interconnect net(map);
  EXPECT_EQ(between(net, 0, 1).size(), 2u);
  EXPECT_THAT(between(net, 0, 2), IsEmpty());
  EXPECT_EQ(net.network_ends(net.first_network_channel()).to, net.network_ends(net.first_network_channel() + 4).to);
  EXPECT_NE(net.network_ends(net.first_network_channel()).to, net.network_ends(net.first_network_channel() + 2).to);

  map.nodes[1].port = 4;
  EXPECT_THROW(map.check(), InvalidArgument);
  map.nodes[1].port = -1;
  EXPECT_THROW(map.check(), InvalidArgument);
}

TEST(FatTree, GoesUpToTheFirstSwitchThatBothAreBelow) {
  // 12 nodes: 6 leaves of 2, 2 switches of 3 leaves, a core.
  const Interconnect net(bare(12, of(FatTree{{{2, {15e9, 1e-7}}, {3, {30e9, 2e-7}}}})));
  EXPECT_EQ(net.channel_count(), 24 + 12 + 4);
  EXPECT_THAT(between(net, 0, 1), IsEmpty());
  EXPECT_THAT(between(net, 0, 5), ElementsAre("fabric level 0 switch 0 up", "fabric level 0 switch 2 down"));
  EXPECT_THAT(between(net, 11, 4), ElementsAre("fabric level 0 switch 5 up", "fabric level 1 switch 1 up",
                                               "fabric level 1 switch 0 down", "fabric level 0 switch 2 down"));
  std::vector<std::int64_t> path;
  net.route({node_id(0), 0}, {node_id(11), 0}, path);
  ASSERT_EQ(path.size(), 6u);
  EXPECT_EQ(net.channel(path[1]), (Channel{LinkKind::network, 15e9, 1e-7}));
  EXPECT_EQ(net.channel(path[2]), (Channel{LinkKind::network, 30e9, 2e-7}));
  EXPECT_EQ(net.channel(path[3]), (Channel{LinkKind::network, 30e9, 2e-7}));
  EXPECT_EQ(net.channel(path[4]), (Channel{LinkKind::network, 15e9, 1e-7}));
}

TEST(FatTree, OfMoreSwitchesThanNodesNeedsNoneOfThem) {
  const Interconnect net(bare(3, of(FatTree{{{100'000, {1e9, 0}}, {100'000, {1e9, 0}}, {100'000, {1e9, 0}}}})));
  EXPECT_EQ(net.channel_count(), 6 + 6);
  EXPECT_THAT(between(net, 2, 0), IsEmpty());
}

TEST(FatTree, TheLastSwitchOfALevelMayBePartlyFilled) {
  const Interconnect net(bare(5, of(FatTree{{{2, {1e9, 0}}}})));
  EXPECT_EQ(net.channel_count(), 10 + 6);
  EXPECT_THAT(between(net, 4, 0), ElementsAre("fabric level 0 switch 2 up", "fabric level 0 switch 0 down"));
}

TEST(Dragonfly, TakesOneGlobalLinkAndALocalOneAtEachEndAtMost) {
  // 3 groups of 2 routers of 2 nodes. Links between groups: router 0 of group 0 and router 0 of group 1; router 1 of
  // group 0 and router 0 of group 2; router 1 of group 1 and router 1 of group 2.
  const Interconnect net(bare(12, of(Dragonfly{2, 2, 3, 1, {5e9, 1e-7}, {7e9, 5e-7}})));
  EXPECT_EQ(net.channel_count(), 24 + 3 * 2 + 3 * 2);
  EXPECT_THAT(between(net, 0, 1), IsEmpty());
  EXPECT_THAT(between(net, 1, 2), ElementsAre("fabric group 0 router 0 -> 1"));
  EXPECT_THAT(between(net, 0, 4), ElementsAre("fabric group 0 -> 1 link 0"));
  EXPECT_THAT(between(net, 2, 6), ElementsAre("fabric group 0 router 1 -> 0", "fabric group 0 -> 1 link 0",
                                              "fabric group 1 router 0 -> 1"));
  EXPECT_THAT(between(net, 11, 4), ElementsAre("fabric group 2 -> 1 link 0", "fabric group 1 router 1 -> 0"));
  std::vector<std::int64_t> path;
  net.route({node_id(2), 0}, {node_id(6), 0}, path);
  ASSERT_EQ(path.size(), 5u);
  EXPECT_EQ(net.channel(path[1]), (Channel{LinkKind::network, 5e9, 1e-7}));
  EXPECT_EQ(net.channel(path[2]), (Channel{LinkKind::network, 7e9, 5e-7}));
}

TEST(Dragonfly, PairsOfRoutersShareTheLinksBetweenTwoGroups) {
  // 2 groups of 4 routers of one node, 4 links: each router has one, so that a path between unlike routers may use
  // either of two links.
  const Interconnect net(bare(8, of(Dragonfly{1, 4, 2, 4, {5e9, 1e-7}, {7e9, 5e-7}})));
  for (int router = 0; router < 4; ++router) {
    EXPECT_THAT(between(net, router, 4 + router), ElementsAre("fabric group 0 -> 1 link " + std::to_string(router)));
  }
  std::map<std::string, int> uses;
  for (int from = 0; from < 4; ++from) {
    for (int to = 4; to < 8; ++to) {
      for (const std::string& name : between(net, from, to)) {
        ++uses[name];
        if (!name.starts_with("fabric group 0 -> 1 link ")) continue;
        EXPECT_THAT(between(net, to, from), testing::Contains("fabric group 1 -> 0 link " + name.substr(25)))
            << "back over the same link";
      }
    }
  }
  for (int link = 0; link < 4; ++link) {
    EXPECT_GE(uses["fabric group 0 -> 1 link " + std::to_string(link)], 3) << "of 16, shared between 4";
  }
}

TEST(Torus, GoesTheShorterWayInTheOrderOfDimensions) {
  // 5 x 4 routers of one node.
  const Interconnect net(bare(20, of(Torus{1, {{5, {3e9, 1e-7}}, {4, {6e9, 2e-7}}}})));
  EXPECT_EQ(net.channel_count(), 40 + 20 * 4);
  EXPECT_THAT(between(net, 0, 2), ElementsAre("fabric router (0,0) +0", "fabric router (1,0) +0"));
  EXPECT_THAT(between(net, 0, 3), ElementsAre("fabric router (0,0) -0", "fabric router (4,0) -0"));
  EXPECT_THAT(between(net, 4, 5), ElementsAre("fabric router (4,0) +0", "fabric router (0,0) +1"));
  EXPECT_THAT(between(net, 1, 16), ElementsAre("fabric router (1,0) -1"));
  std::vector<std::int64_t> path;
  net.route({node_id(4), 0}, {node_id(5), 0}, path);
  EXPECT_EQ(net.channel(path.at(1)), (Channel{LinkKind::network, 3e9, 1e-7}));
  EXPECT_EQ(net.channel(path.at(2)), (Channel{LinkKind::network, 6e9, 2e-7}));
}

TEST(Torus, GoesUpwardsWhereBothWaysAreAsLong) {
  const Interconnect net(bare(4, of(Torus{1, {{4, {1e9, 0}}}})));
  EXPECT_THAT(between(net, 3, 1), ElementsAre("fabric router (3) +0", "fabric router (0) +0"));
  EXPECT_THAT(between(net, 1, 3), ElementsAre("fabric router (1) +0", "fabric router (2) +0"));
}

TEST(Torus, NodesOfOneRouterMeetThere) {
  const Interconnect net(bare(6, of(Torus{2, {{3, {1e9, 0}}}})));
  EXPECT_THAT(between(net, 4, 5), IsEmpty());
  EXPECT_THAT(between(net, 1, 2), ElementsAre("fabric router (0) +0"));
}

/// The channels of a path, and the opposite channels in reverse order.
TEST(Fabric, AllPairsOfRandomOnesAreConnectedAndAsFarBackAsThere) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    const int nodes = 2 + random.below(40);
    const MachineMap map = bare(nodes, test::random_fabric(random, nodes, 1));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(name_of(map.network.fabric.shape)));
    const Interconnect net(map);
    for (int from = 0; from < nodes; ++from) {
      for (int to = 0; to < nodes; ++to) {
        if (from == to) continue;
        std::vector<std::int64_t> there;
        std::vector<std::int64_t> back;
        net.route({node_id(from), 0}, {node_id(to), 0}, there);
        net.route({node_id(to), 0}, {node_id(from), 0}, back);
        ASSERT_EQ(there.size(), back.size()) << from << " " << to;
        ASSERT_EQ(std::set(there.begin(), there.end()).size(), there.size()) << "passes a channel twice";
        for (const std::int64_t id : there) {
          ASSERT_GE(id, 0);
          ASSERT_LT(id, net.channel_count());
          ASSERT_EQ(std::ranges::count(back, id), 0) << "both directions are one channel";
        }
      }
    }
  }
}

TEST(Fabric, EachChannelOfAPathBeginsWhereTheOneBeforeEnds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    const int nodes = 2 + random.below(40);
    MachineMap map = bare(nodes, test::random_fabric(random, nodes, 3));
    for (int card = 1; card <= map.network.fabric.rails; ++card) {
      map.types[0].vertices.push_back({VertexKind::nic, "card", 0, 0, -1});
      map.types[0].links.push_back({0, card, LinkKind::pcie, 1e9, 1e-6});
    }
    const Interconnect net(map);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::int64_t> path;
    for (int from = 0; from < nodes; ++from) {
      for (int to = 0; to < nodes; ++to) {
        const int rail = random.below(net.rails());
        path.clear();
        net.network_route(node_id(from), node_id(to), rail, path);
        std::int64_t at = from;
        for (const std::int64_t id : path) {
          const auto [begin, end] = net.network_ends(id);
          ASSERT_EQ(begin, at) << net.name(id);
          ASSERT_EQ((id - net.first_network_channel()) / net.channels_of_rail(), rail);
          at = end;
        }
        ASSERT_EQ(at, to);
      }
    }
    for (std::int64_t id = net.first_network_channel(); id < net.channel_count(); ++id) {
      const auto [begin, end] = net.network_ends(id);
      ASSERT_GE(std::min(begin, end), 0);
      ASSERT_LT(std::max(begin, end), net.network_vertices());
      if (!std::holds_alternative<Torus>(map.network.fabric.shape)) {  // a torus dimension may have length 1
        ASSERT_NE(begin, end) << net.name(id);
      }
    }
  }
}

TEST(Fabric, RefusesRailsAndChannelsThatAreNotThere) {
  const Interconnect net(bare(3, {}));
  std::vector<std::int64_t> path;
  EXPECT_THROW(net.network_route(node_id(0), node_id(1), 1, path), InvalidArgument);
  EXPECT_THROW(net.network_route(node_id(0), node_id(3), 0, path), InvalidArgument);
  EXPECT_THROW(static_cast<void>(net.network_ends(net.channel_count())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(net.node_link(net.first_network_channel())), InvalidArgument);
}

/// A walk along the routers in a path's names must end at the destination; the walk tries each direction of each ring.
TEST(Torus, RandomRoutesArriveAndAreNoLongerThanTheTorusIsWide) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    test::Random random(seed);
    Torus torus;
    int nodes = 1;
    int farthest = 0;
    for (int d = 1 + random.below(3); d > 0; --d) {
      torus.dimensions.push_back({1 + random.below(5), {1e9, 0}});
      nodes *= torus.dimensions.back().length;
      farthest += torus.dimensions.back().length / 2;
    }
    const auto dimensions = static_cast<int>(torus.dimensions.size());
    const Interconnect net(bare(nodes, of(torus)));
    for (int from = 0; from < nodes; ++from) {
      for (int to = 0; to < nodes; ++to) {
        if (from == to) continue;
        std::vector<std::int64_t> path;
        net.route({node_id(from), 0}, {node_id(to), 0}, path);
        ASSERT_LE(std::ssize(path) - 2, farthest);
        int at = from;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
          const auto within = static_cast<int>(path[i] - 2 * nodes);
          ASSERT_EQ(within / (2 * dimensions), at) << "each link begins where the one before ended";
          int stride = 1;
          const int d = within % (2 * dimensions) / 2;
          for (int k = 0; k < d; ++k) stride *= torus.dimensions[static_cast<std::size_t>(k)].length;
          const int length = torus.dimensions[static_cast<std::size_t>(d)].length;
          const int place = at / stride % length;
          at += ((place + (within % 2 == 0 ? 1 : length - 1)) % length - place) * stride;
        }
        ASSERT_EQ(at, to) << "seed " << seed;
      }
    }
  }
}

TEST(Fabric, EveryChannelOfEachShapeHasItsRatesAndAName) {
  const std::vector<Fabric::Shape> shapes{Crossbar{}, FatTree{{{3, {1e9, 1e-7}}, {2, {2e9, 2e-7}}}},
                                          Dragonfly{1, 3, 4, 2, {1e9, 1e-7}, {2e9, 2e-7}},
                                          Torus{1, {{4, {1e9, 1e-7}}, {3, {2e9, 2e-7}}}}};
  for (const Fabric::Shape& shape : shapes) {
    const Interconnect net(bare(12, of(shape)));
    std::set<std::string> names;
    for (std::int64_t id = 0; id < net.channel_count(); ++id) {
      const Channel channel = net.channel(id);
      EXPECT_EQ(channel.kind, LinkKind::network);
      if (id < 24) {
        EXPECT_EQ(channel.bandwidth, 10e9);
      } else {
        EXPECT_DOUBLE_EQ(channel.latency, channel.bandwidth * 1e-16) << net.name(id);
      }
      EXPECT_TRUE(names.insert(net.name(id)).second) << net.name(id);
    }
    EXPECT_THROW(static_cast<void>(net.channel(-1)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(net.name(net.channel_count())), InvalidArgument);
  }
}

}  // namespace
}  // namespace halocline::machine

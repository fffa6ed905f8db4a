// SPDX-License-Identifier: BSD-3-Clause
#include "placement/placement.hpp"
#include "partition/halo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fake_machine.hpp"
#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "support/error_of.hpp"

namespace halocline::placement {
namespace {

partition::Geometry cut(const Vec3& extent, std::int64_t nodes, const Vec3& device_grid) {
  partition::Request request{.extent = extent, .halo = Stencil::box(2), .nodes = nodes};
  request.devices_per_node = device_grid.volume();
  request.method = partition::Method::given;
  request.device_grid = device_grid;
  FieldDescriptor field;
  field.name = "u";
  return {partition::make_partition(request), {field}, Stencil::box(2), all_periodic};
}

/// The cost in seconds, bytes over bandwidth as in Pearson's paper, plus the latency of a mean message for each of its
/// bytes; uses no code of the library but flows.
double seconds(const partition::Geometry& g, const machine::MachineMap& map, const std::vector<Slot>& slots) {
  double sum = 0;
  double bytes = 0;
  double messages = 0;
  for (std::int64_t s = 0; s < g.partition.size(); ++s) {
    for (const partition::Flow& flow : partition::outgoing_flows(g, subdomain_id(s))) {
      if (slots[flow.from.index()].node != slots[flow.to.index()].node) continue;
      bytes += static_cast<double>(flow.bytes);
      messages += 1;
    }
  }
  for (std::int64_t s = 0; s < g.partition.size(); ++s) {
    for (const partition::Flow& flow : partition::outgoing_flows(g, subdomain_id(s))) {
      const Slot& a = slots[flow.from.index()];
      const Slot& b = slots[flow.to.index()];
      if (a.node != b.node) continue;
      for (const machine::Measurement& m : map.types[0].measurements) {
        if (m.from == a.device.value() && m.to == b.device.value()) {
          sum += static_cast<double>(flow.bytes) * (1 / m.bandwidth + m.latency * messages / bytes);
        }
      }
    }
  }
  return sum;
}

TEST(Slots, ComeByNodeRankAndOrdinal) {
  machine::MachineMap map = machine_of(node_of_groups(4, 2, 50, 10), 2, 4, 2);
  std::swap(map.ranks[0], map.ranks[3]);  // ranks need not be in the order of their nodes
  const std::vector<Slot> slots = slots_of(map);
  ASSERT_EQ(slots.size(), 8u);
  EXPECT_EQ(slots[0], (Slot{rank_id(1), node_id(0), device_id(2), 0}));
  EXPECT_EQ(slots[1], (Slot{rank_id(1), node_id(0), device_id(3), 1}));
  EXPECT_EQ(slots[2], (Slot{rank_id(3), node_id(0), device_id(0), 0}));
  EXPECT_EQ(slots[4], (Slot{rank_id(0), node_id(1), device_id(2), 0}));
}

TEST(Placement, TrivialIsInOrder) {
  const machine::MachineMap map = machine_of(node_of_groups(4, 2, 50, 10), 2, 4, 2);
  const Placement p = make_placement(cut({64, 64, 64}, 2, {2, 2, 1}), map, {.method = Method::trivial});
  EXPECT_EQ(p.slots, slots_of(map));
  EXPECT_EQ(p.cost, p.trivial_cost);
  EXPECT_GT(p.cost, 0);
  EXPECT_EQ(p.of_rank(rank_id(3)), (std::vector<subdomain_id>{subdomain_id(6), subdomain_id(7)}));
}

// Four flat slabs in a ring; the fast pairs are 0-2 and 1-3. Computed by hand: slabs 1 and 2 share a pair, 3 and 0 the
// other one; this is the first of the equivalent solutions.
TEST(Placement, PutsLargeFlowsOnFastLinks) {
  const std::vector<double> rates{900, 10, 50, 10, 10, 900, 10, 50, 50, 10, 900, 10, 10, 50, 10, 900};
  const machine::MachineMap map = machine_of(node_with_rates(rates), 1, 4, 4);
  const partition::Geometry g = cut({256, 64, 64}, 1, {4, 1, 1});
  const Placement p = make_placement(g, map, {});
  const auto device = [&](std::int64_t s) { return p.of(subdomain_id(s)).device.value(); };
  EXPECT_EQ(device(0), 0);
  EXPECT_EQ(device(1), 1);
  EXPECT_EQ(device(2), 3);
  EXPECT_EQ(device(3), 2);
  EXPECT_LT(p.cost, p.trivial_cost);
}

TEST(Placement, IsTheBestOfAllInSeconds) {
  const machine::MachineMap map = machine_of(node_of_groups(6, 3, 50, 32), 1, 6, 6);
  for (const Vec3& grid : {Vec3{2, 3, 1}, Vec3{1, 2, 3}, Vec3{6, 1, 1}}) {
    const partition::Geometry g = cut({150, 96, 60}, 1, grid);
    const std::vector<Slot> all = slots_of(map);
    std::vector<std::size_t> order(6);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = seconds(g, map, all);
    const double trivial = best;
    do {
      std::vector<Slot> slots;
      for (const std::size_t i : order) slots.push_back(all[i]);
      best = std::min(best, seconds(g, map, slots));
    } while (std::next_permutation(order.begin(), order.end()));
    for (const Method method : {Method::exact, Method::craft, Method::automatic}) {
      const Placement p = make_placement(g, map, {.method = method});
      EXPECT_NEAR(seconds(g, map, p.slots), best, 1e-5 * best) << to_string(method);
      // Integer costs are in proportion to seconds.
      EXPECT_NEAR(static_cast<double>(p.cost) / static_cast<double>(p.trivial_cost), best / trivial, 1e-4);
    }
  }
}

TEST(Placement, LatencyTellsPathsOfOneBandwidthApart) {
  // As on nodes where the first link is the narrowest: the same rate everywhere, but a longer path between groups.
  machine::NodeType node = node_of_groups(6, 3, 50, 50);
  for (machine::Measurement& m : node.measurements) m.latency = m.from / 3 == m.to / 3 ? 1e-6 : 5e-6;
  const machine::MachineMap map = machine_of(node, 1, 6, 6);
  const Placement p = make_placement(cut({1440, 1452, 700}, 1, {2, 3, 1}), map, {.method = Method::exact});
  EXPECT_LT(p.cost, p.trivial_cost);
}

TEST(Placement, EverySlotIsTakenOnceOnItsNode) {
  for (const Method method : {Method::trivial, Method::exact, Method::craft, Method::random, Method::automatic}) {
    const machine::MachineMap map = machine_of(node_of_groups(6, 3, 50, 10), 4, 6, 3);
    const partition::Geometry g = cut({61, 67, 71}, 4, {1, 2, 3});
    const Placement p = make_placement(g, map, {.method = method, .seed = 9});
    std::set<std::pair<rank_id, int>> taken;
    ASSERT_EQ(p.slots.size(), 24u);
    for (std::int64_t s = 0; s < 24; ++s) {
      const Slot& slot = p.of(subdomain_id(s));
      EXPECT_EQ(slot.node.value(), g.partition.node_part_of(subdomain_id(s)));
      EXPECT_TRUE(taken.emplace(slot.rank, slot.ordinal).second);
    }
    for (std::int64_t r = 0; r < 12; ++r) EXPECT_EQ(p.of_rank(rank_id(r)).size(), 2u);
  }
}

TEST(Placement, RandomDependsOnTheSeedAndDiffersBetweenNodes) {
  const machine::MachineMap map = machine_of(node_of_groups(6, 3, 50, 10), 4, 6, 6);
  const partition::Geometry g = cut({60, 60, 60}, 4, {1, 2, 3});
  const auto devices = [&](std::uint64_t seed, std::int64_t node) {
    std::vector<std::int64_t> found;
    const Placement p = make_placement(g, map, {.method = Method::random, .seed = seed});
    for (std::int64_t s = node * 6; s < node * 6 + 6; ++s) found.push_back(p.of(subdomain_id(s)).device.value());
    return found;
  };
  EXPECT_EQ(devices(1, 0), devices(1, 0));
  EXPECT_NE(devices(1, 0), devices(2, 0));
  EXPECT_NE(devices(1, 0), devices(1, 1));
}

TEST(Placement, NodesOfDifferentTypesArePlacedEachInItsWay) {
  machine::MachineMap map = machine_of(node_of_groups(4, 2, 50, 10), 2, 4, 1);
  map.types.push_back(node_with_rates({900, 10, 50, 10, 10, 900, 10, 50, 50, 10, 900, 10, 10, 50, 10, 900}));
  map.nodes[1].type = 1;
  const Placement p = make_placement(cut({256, 128, 64}, 2, {4, 1, 1}), map, {});
  const auto device = [&](std::int64_t s) { return p.of(subdomain_id(s)).device.value(); };
  EXPECT_EQ(device(1), 1);
  EXPECT_EQ(device(5), 2);
}

TEST(Placement, RanksMayShareDevices) {
  machine::MachineMap map = machine_of(node_with_rates({900, 10, 10, 900}), 1, 2, 2);
  for (machine::RankEntry& rank : map.ranks) rank.devices = {device_id(0), device_id(1)};  // four slots, two devices
  const Placement p = make_placement(cut({256, 64, 64}, 1, {4, 1, 1}), map, {});
  // A ring of four: as many neighbours as possible on the same device; two cuts remain.
  int changes = 0;
  for (std::int64_t s = 0; s < 4; ++s) {
    if (p.of(subdomain_id(s)).device != p.of(subdomain_id((s + 1) % 4)).device) ++changes;
  }
  EXPECT_EQ(changes, 2);
}

TEST(Placement, RefusesAMachineThatDoesNotMatch) {
  const partition::Geometry g = cut({64, 64, 64}, 2, {2, 2, 1});
  const auto refusal = [&](const machine::MachineMap& map) -> std::string {
    return test::error_of<InvalidArgument>([&] { (void)make_placement(g, map, {}); });
  };
  using testing::AllOf;
  using testing::HasSubstr;
  EXPECT_THAT(refusal(machine_of(node_of_groups(4, 2, 50, 10), 3, 4, 1)), AllOf(HasSubstr("is 3"), HasSubstr("is 2")));
  EXPECT_THAT(refusal(machine_of(node_of_groups(6, 2, 50, 10), 2, 6, 1)),
              AllOf(HasSubstr("node0"), HasSubstr("is 6"), HasSubstr("is 4")));
  machine::MachineMap without_ranks = machine_of(node_of_groups(4, 2, 50, 10), 2, 4, 1);
  without_ranks.ranks.clear();
  EXPECT_THAT(refusal(without_ranks), HasSubstr("no ranks"));
}

TEST(Placement, MethodsHaveNames) {
  for (const Method m :
       {Method::trivial, Method::exact, Method::craft, Method::random, Method::automatic, Method::given}) {
    EXPECT_EQ(method_from_string(to_string(m)), m);
  }
  EXPECT_THROW((void)method_from_string("best"), InvalidArgument);
}

TEST(PlacementCost, IsPrintedAsWhatItSaves) {
  const auto text = [](std::int64_t trivial, std::int64_t cost) {
    Placement placement;
    placement.trivial_cost = trivial;
    placement.cost = cost;
    return placement.cost_text();
  };
  EXPECT_EQ(text(10000, 9997), "costs 0.03 % less than the order of devices");
  EXPECT_EQ(text(1000, 786), "costs 21 % less than the order of devices");
  EXPECT_EQ(text(1000, 1200), "costs 20 % more than the order of devices");
  EXPECT_EQ(text(7, 7), "costs what the order of devices does");
}

TEST(Placement, AMethodWithoutANameIsAnError) {
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<Method>(99)); }),
            "a placement method without a name");
}

}  // namespace
}  // namespace halocline::placement

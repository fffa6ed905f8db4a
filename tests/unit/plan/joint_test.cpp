// SPDX-License-Identifier: BSD-3-Clause
// Partition and placement by simulated time, on machines with unequal and shared links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>

#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "model/unequal.hpp"
#include "plan/local_plan.hpp"
#include "plan/plan.hpp"
#include "support/effort.hpp"
#include "support/unequal_case.hpp"

namespace halocline {
namespace {

using machine::LinkKind;
using machine::MachineMap;
using machine::VertexKind;
using partition::Method;
using testing::HasSubstr;
using Place = placement::Method;

constexpr Boundaries all_open{Boundary::open, Boundary::open, Boundary::open};

PlanRequest request_for(const std::string& file, const Vec3& extent, std::int64_t radius, int fields,
                        std::int64_t nodes, std::int64_t ranks_per_node) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(radius);
  for (int f = 0; f < fields; ++f) {
    request.fields.emplace_back();
    request.fields.back().name = "f" + std::to_string(f);
  }
  request.machine = io::read_machine_file(std::string(HALOCLINE_MACHINES "/") + file + ".json");
  request.machine.nodes.resize(static_cast<std::size_t>(nodes));
  machine::assign_ranks(request.machine, ranks_per_node);
  return request;
}

PlanRequest chain() {
  PlanRequest request = request_for("hypothetical-node", {256, 256, 256}, 1, 1, 1, 1);
  request.boundaries = all_open;
  return request;
}

std::int64_t bytes_of_all(const Plan& plan) {
  std::int64_t bytes = 0;
  for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
    for (const auto& flow : partition::outgoing_flows(plan.geometry, subdomain_id(s))) bytes += flow.bytes;
  }
  return bytes;
}

// Bounds and simulated times stand in one column; the flag tells them apart.
TEST(Joint, MarksTheGridsThatWereSimulated) {
  const Candidates found = candidates(chain());
  ASSERT_TRUE(found.together);
  const auto fastest = std::ranges::min_element(found.list, {}, [](const Candidate& one) { return *one.together; });
  EXPECT_TRUE(fastest->simulated);
  EXPECT_NEAR(static_cast<double>(*fastest->together), 27.2e6, 0.1e6);
  for (const Candidate& one : found.list) {
    EXPECT_TRUE(one.simulated || *one.together >= *fastest->together) << "a grid that was left out may be faster";
  }
}

TEST(Joint, MarksGridsThatAreSlowerThanTheFastest) {
  const Candidates found = candidates(request_for("summit", {400, 300, 500}, 2, 1, 1, 6));
  EXPECT_GT(std::ranges::count_if(found.list, &Candidate::simulated), 1);
}

// The talk: n bytes over 1 GB/s take five times as long as 2n bytes over 10 GB/s.
TEST(Joint, TakesSlabsOnAChain) {
  const Plan plan = make_plan(chain());
  const Vec3 grid = plan.geometry.partition.grid();
  EXPECT_EQ(std::max({grid.x, grid.y, grid.z}), 4) << "slabs along one dimension";
  EXPECT_EQ(plan.partition, Method::fastest);
  EXPECT_EQ(plan.placement_method, Place::fastest);
  ASSERT_TRUE(plan.judged);
  EXPECT_NEAR(static_cast<double>(plan.judged->time), 27.2e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(plan.judged->by_assignment), 133.6e6, 1e6);
  EXPECT_NEAR(test::simulated_seconds(plan), 27.2e-6, 0.1e-6);
  EXPECT_THAT(explain_placement(plan), HasSubstr("by fastest: simulated 27.2 us an exchange; exact plus QAP 134 us"));
  const Plan least_halo = test::exact_and_qap(chain());
  EXPECT_GT(bytes_of_all(plan), bytes_of_all(least_halo)) << "minimal communication is not maximal performance";
}

TEST(Joint, ListsTheGridsOfAChainByTime) {
  const Candidates found = candidates(chain());
  ASSERT_EQ(found.list.size(), 6u);
  EXPECT_TRUE(found.together);
  EXPECT_THAT(found.list[0].methods, testing::Contains(Method::fastest));
  for (std::size_t i = 1; i < found.list.size(); ++i) EXPECT_LE(found.list[i - 1].together, found.list[i].together);
}

TEST(Joint, ListsTheSameGridsWhereOwnersAreGiven) {
  PlanRequest request = chain();
  request.placement.method = Place::given;
  request.placement.owners = std::vector<placement::Owner>(4);
  const Candidates found = candidates(request);
  const Candidates automatic = candidates(chain());
  ASSERT_EQ(found.list.size(), automatic.list.size());
  EXPECT_TRUE(found.together);
  for (std::size_t i = 0; i < found.list.size(); ++i) EXPECT_EQ(found.list[i].together, automatic.list[i].together);
}

/// The devices of the column of subdomains at x = 0 on one node.
std::set<std::int64_t> first_column(const Plan& plan) {
  std::set<std::int64_t> devices;
  for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
    if (plan.geometry.partition.index_of(subdomain_id(s)).x == 0) {
      devices.insert(plan.placement.of(subdomain_id(s)).device.value());
    }
  }
  return devices;
}

// Pearson et al., Fig. 11: three subdomains on each triad of GPUs. Six GPUs share the X-bus, and that decides whatever latencies are.
TEST(Joint, FindsTriadsOnSummitFromSharing) {
  for (const bool latencies : {true, false}) {
    PlanRequest request = request_for("summit", {1440, 1452, 700}, 3, 4, 1, 6);
    request.partition = Method::exact;
    if (!latencies) {
      for (machine::Link& link : request.machine.types[0].links) link.latency = 0;
    }
    const Plan plan = make_plan(request);
    EXPECT_EQ(plan.geometry.partition.grid(), (Vec3{2, 3, 1}));
    EXPECT_THAT(first_column(plan), testing::AnyOf(std::set<std::int64_t>{0, 1, 2}, std::set<std::int64_t>{3, 4, 5}));
    EXPECT_LT(static_cast<double>(plan.judged->time), 0.8 * static_cast<double>(plan.judged->in_order));
    if (latencies) continue;
    request.placement.method = Place::exact;
    EXPECT_THAT(first_column(make_plan(request)), (std::set<std::int64_t>{0, 2, 4}))
        << "by narrowest links, all are equal";
  }
}

/// Two packages, each with a device and a card, joined by a slow link; devices are joined by a fast one.
machine::NodeType two_cards(double first, double second) {
  machine::NodeType type{"two cards", {}, {}, {}, {}};
  for (int p = 0; p < 2; ++p) type.vertices.push_back({VertexKind::package, "CPU", 0, 8, -1});
  for (int p = 0; p < 2; ++p) type.vertices.push_back({VertexKind::device, "GPU", 0, 0, -1});
  for (int p = 0; p < 2; ++p) type.vertices.push_back({VertexKind::nic, "NIC", 0, 0, -1});
  type.links = {{0, 1, LinkKind::inter_package, 1e9, 1e-7}, {2, 0, LinkKind::pcie, 16e9, 1e-7},
                {3, 1, LinkKind::pcie, 16e9, 1e-7},         {4, 0, LinkKind::pcie, first, 1e-7},
                {5, 1, LinkKind::pcie, second, 1e-7},       {2, 3, LinkKind::nvlink, 50e9, 1e-7}};
  for (const int device : {2, 3}) type.vertices[static_cast<std::size_t>(device)].load_store_domain = 0;
  return type;
}

PlanRequest in_a_row(std::vector<machine::NodeType> types, std::int64_t nodes, int devices) {
  PlanRequest request;
  request.extent = {64 * nodes * devices, 512, 512};
  request.stencil = Stencil::star(2);
  request.fields.resize(1);
  request.boundaries = all_open;
  request.machine.name = "row";
  request.machine.types = std::move(types);
  for (std::int64_t n = 0; n < nodes; ++n) {
    request.machine.nodes.push_back({"n", static_cast<int>(n % std::ssize(request.machine.types)), {}, -1});
  }
  machine::assign_ranks(request.machine, devices);
  request.partition = Method::given;
  request.node_grid = Vec3{nodes, 1, 1};
  request.device_grid = Vec3{devices, 1, 1};
  return request;
}

TEST(Joint, KeepsASlowCardFromWhatLeavesTheNode) {
  PlanRequest request = in_a_row({two_cards(12e9, 2e9)}, 2, 2);
  request.machine.network.bandwidth = 25e9;
  const Plan plan = make_plan(request);
  // Subdomains 1 and 2 meet across the network.
  EXPECT_EQ(plan.placement.of(subdomain_id(1)).device, device_id(0));
  EXPECT_EQ(plan.placement.of(subdomain_id(2)).device, device_id(0));
  EXPECT_LT(2 * plan.judged->time, plan.judged->by_assignment) << "QAP counts only what stays within a node";
}

TEST(Joint, PutsNodesOfTheSlowKindAtTheEnds) {
  machine::NodeType fast = two_cards(12e9, 12e9);
  machine::NodeType slow = two_cards(3e9, 3e9);
  for (machine::NodeType* type : {&fast, &slow}) {
    type->vertices[3] = {VertexKind::pci_switch, "switch", 0, 0, -1};  // one device a node
  }
  PlanRequest request = in_a_row({fast, slow}, 3, 1);
  request.machine.network.bandwidth = 25e9;
  const Plan plan = make_plan(request);
  EXPECT_NE(plan.placement.of(subdomain_id(1)).node, node_id(1)) << "the middle sends twice as much as the ends";
  EXPECT_LT(static_cast<double>(plan.judged->time), 0.8 * static_cast<double>(plan.judged->by_assignment));
}

TEST(Joint, LeavesEqualLinksToExactAndQap) {
  PlanRequest request;
  request.extent = {512, 512, 512};
  request.stencil = Stencil::box(1);
  request.fields.resize(1);
  request.policy = routing::Policy::parse("-direct");  // by direct, times of grids are predicted
  for (const machine::SyntheticRequest& shape :
       {machine::SyntheticRequest{.devices_per_node = 8}, {.nodes = 4, .devices_per_node = 4, .ranks_per_node = 4}}) {
    request.machine = machine::synthetic(shape);
    EXPECT_FALSE(model::connection_of(request.machine).unequal());
    const Plan plan = make_plan(request);
    EXPECT_EQ(plan.partition, Method::exact);
    EXPECT_EQ(plan.placement_method, Place::automatic);
    EXPECT_FALSE(plan.judged);
    EXPECT_EQ(plan.placement.slots, test::exact_and_qap(request).placement.slots);
  }
}

TEST(Joint, CountsSharesThatDifferByHalfAsUnequal) {
  PlanRequest request = in_a_row({two_cards(12e9, 12e9)}, 2, 2);
  request.machine.network.bandwidth = 50e9;
  EXPECT_FALSE(model::connection_of(request.machine).unequal());
  request.machine.types[0].links[4].bandwidth = 12e9 / 1.4;
  EXPECT_FALSE(model::connection_of(request.machine).unequal());
  request.machine.types[0].links[4].bandwidth = 12e9 / 1.6;
  EXPECT_TRUE(model::connection_of(request.machine).unequal());
}

TEST(Joint, IsTheSameInALocalPlan) {
  for (const std::int64_t nodes : {2, 12}) {  // the whole machine, and by sections
    const PlanRequest request = request_for("summit", {400, 300, 500}, 2, 1, nodes, 6);
    const Plan plan = make_plan(request);
    ASSERT_EQ(plan.placement_method, Place::fastest);
    for (const std::int64_t rank : {std::int64_t{0}, 6 * nodes - 1}) {
      const LocalPlan local = make_local_plan(request, rank_id(rank), {}, false);
      EXPECT_EQ(local.geometry.partition, plan.geometry.partition);
      EXPECT_EQ(local.mine, plan.placement.of_rank(rank_id(rank)));
      for (const auto& [subdomain, slot] : local.slots) EXPECT_EQ(slot, plan.placement.of(subdomain));
    }
  }
}

TEST(Joint, GivesEachDeviceOneSubdomain) {
  for (const std::int64_t nodes : {1, 4, 12}) {
    const Plan plan = make_plan(request_for("summit", {400, 300, 500}, 2, 1, nodes, 6));
    std::set<std::pair<std::int64_t, std::int64_t>> devices;
    for (const placement::Slot& slot : plan.placement.slots) devices.insert({slot.node.value(), slot.device.value()});
    EXPECT_EQ(std::ssize(devices), 6 * nodes);
  }
}

TEST(Joint, FallsBackWhereNodesHoldManyUnequalNumbersOfDevices) {
  PlanRequest request = request_for("summit", {400, 300, 500}, 2, 1, 12, 6);
  request.machine.ranks.pop_back();
  request.partition = Method::fastest;
  request.placement.method = Place::fastest;
  const Plan plan = make_plan(request);
  EXPECT_THAT(plan.partition_reason,
              HasSubstr("the grid of exact, because nodes hold unequal numbers of devices, 71 in all"));
  EXPECT_EQ(plan.placement_method, Place::automatic);
}

TEST(Joint, JudgesGridsOfFewDevicesOnUnequalNodes) {
  PlanRequest request = request_for("summit", {400, 300, 500}, 2, 1, 2, 6);
  request.machine.ranks.pop_back();
  request.partition = Method::fastest;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.partition, Method::fastest);
  EXPECT_TRUE(plan.judged.has_value()) << plan.partition_reason;
}

// One device a node: links are equal, and grids are simulated as there are no exchange rates.
TEST(Joint, KeepsThePlacementThatItsTimeIsOf) {
  PlanRequest request = request_for("titan", {200, 60, 60}, 1, 1, 8, 1);
  request.partition = Method::fastest;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.placement_method, Place::fastest);
  ASSERT_TRUE(plan.judged);
  EXPECT_NEAR(test::simulated_seconds(plan), 1e-12 * static_cast<double>(plan.judged->time), 1e-9);
  request.placement.method = Place::trivial;
  const Plan in_order = make_plan(request);
  EXPECT_EQ(in_order.placement_method, Place::trivial);
  EXPECT_NEAR(test::simulated_seconds(in_order), 1e-12 * static_cast<double>(in_order.judged->time), 1e-9);
}

TEST(Joint, MarksTimesOfASectionWithoutTheFabric) {
  const auto text = [](std::int64_t nodes) {
    PlanRequest request = request_for("frontier", {200, 60, 60}, 1, 1, nodes, 8);
    return explain_placement(make_plan(request));
  };
  EXPECT_THAT(text(10), HasSubstr("us an exchange of a section, without the fabric;"));
  EXPECT_THAT(text(2), HasSubstr("us an exchange;"));
}

// Descents in all grids of 64 nodes took minutes.
TEST(Joint, PlansSixtyFourNodesOfATorusInFiveSeconds) {
  HALOCLINE_IS_LARGE();
  PlanRequest request = request_for("titan", {1000, 300, 200}, 3, 4, 64, 1);
  request.partition = Method::fastest;
  const std::clock_t begin = std::clock();
  const Plan plan = make_plan(request);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5 * test::planning_patience);
  EXPECT_LT(plan.judged->time, plan.judged->by_assignment);
}

TEST(Joint, PlansSummitInTwoSeconds) {
  HALOCLINE_IS_LARGE();
  const PlanRequest request = request_for("summit", {8653, 8653, 8653}, 3, 4, 256, 6);
  const std::clock_t begin = std::clock();
  const Plan plan = make_plan(request);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 2 * test::planning_patience);
  EXPECT_EQ(plan.geometry.partition.size(), 1536);
  EXPECT_EQ(plan.partition, Method::fastest);
  EXPECT_LE(plan.judged->time, plan.judged->by_assignment);
}

}  // namespace
}  // namespace halocline

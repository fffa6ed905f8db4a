// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "comm/local_ranks.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "machine/synthetic.hpp"
#include "plan/plan.hpp"
#include "request_hash.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

PlanRequest request_for(std::int64_t nodes, std::int64_t devices_per_node, const Vec3& extent) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(3);
  for (int i = 0; i < 4; ++i) {
    FieldDescriptor field;
    field.name = "q" + std::to_string(i);
    request.fields.push_back(field);
  }
  request.machine =
      machine::synthetic({.nodes = nodes, .devices_per_node = devices_per_node, .ranks_per_node = devices_per_node});
  return request;
}

TEST(Plan, of_256_nodes_of_6_covers_the_domain_and_routes_each_message) {
  const Plan plan = make_plan(request_for(256, 6, {8653, 8653, 8653}));
  ASSERT_EQ(plan.geometry.partition.size(), 1536);
  std::int64_t cells = 0;
  for (std::int64_t s = 0; s < 1536; ++s) cells += plan.geometry.partition.box_of(subdomain_id(s)).volume();
  EXPECT_EQ(cells, std::int64_t{8653} * 8653 * 8653);
  const auto routes = assumed_routes(plan, {}, false);
  EXPECT_GT(routes.size(), 1536u * 20);
  for (const auto& routed : routes) {
    const bool same_node = plan.placement.of(routed.route.from).node == plan.placement.of(routed.route.to).node;
    EXPECT_EQ(routed.route.transport == routing::Transport::mpi_staged, !same_node);
    EXPECT_GT(routed.bytes, 0);
  }
  // The routes of one rank are a subset of the routes of all.
  const auto part = assumed_routes(plan, {}, false, rank_id(700));
  std::size_t i = 0;
  for (const auto& routed : routes) {
    if (plan.owner(routed.route.from) != rank_id(700)) continue;
    ASSERT_LT(i, part.size());
    EXPECT_EQ(part[i++].route, routed.route);
  }
  EXPECT_EQ(i, part.size());
}

// A domain of two planes has no three planes to exchange across a periodic boundary; open boundaries need none.
TEST(Plan, a_dimension_that_ends_may_be_thinner_than_the_halo) {
  PlanRequest request = request_for(1, 2, {16, 16, 2});
  EXPECT_THROW(static_cast<void>(make_plan(request)), InvalidArgument);
  request.boundaries[2] = Boundary::open;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.geometry.partition.size(), 2);
  EXPECT_EQ(plan.geometry.partition.box_of(subdomain_id(0)).extent().z, 2);
}

TEST(Plan, hash_tells_requests_apart) {
  const PlanRequest base = request_for(2, 2, {64, 64, 64});
  PlanRequest other = base;
  EXPECT_EQ(hash_of(base), hash_of(other));
  other.extent.z = 65;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.fields[2].element = Element::f64;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.stencil = other.stencil.without_corners();
  EXPECT_NE(hash_of(base), hash_of(other));
}

TEST(Plan, hash_tells_machines_apart) {
  const PlanRequest base = request_for(2, 2, {64, 64, 64});
  PlanRequest other = base;
  other.machine.network.fabric.shape = machine::Torus{.nodes_per_router = 1, .dimensions = {{2, {1e9, 1e-6}}}};
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.machine.network.latency *= 2;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  other.machine.types[0].links[0].bandwidth *= 2;
  EXPECT_NE(hash_of(base), hash_of(other));
  other = base;
  std::swap(other.machine.ranks[0].devices, other.machine.ranks[1].devices);
  EXPECT_NE(hash_of(base), hash_of(other));
}

TEST(Plan, nodes_with_unequal_devices_are_cut_as_one) {
  PlanRequest request = request_for(2, 4, {64, 64, 64});
  request.machine.ranks.pop_back();
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.geometry.partition.size(), 7);
  EXPECT_EQ(plan.geometry.partition.nodes(), 1);
  EXPECT_EQ(plan.placement.of(subdomain_id(6)).node, node_id(1));
}

TEST(Plan, explains_every_stage) {
  const Plan plan = make_plan(request_for(2, 2, {64, 64, 64}));
  const auto text = explain(plan, assumed_routes(plan, {}, false));
  for (const char* word : {"machine", "partition", "placement", "routes", "traffic", "mpi_staged", "direct"}) {
    EXPECT_THAT(text, testing::HasSubstr(word));
  }
}

TEST(Plan, ranks_that_ask_for_different_domains_are_told) {
  std::vector<std::string> texts(3);
  comm::run_as_threads(3, [&](comm::RankGroup& comm) {
    Domain domain({16, 16, comm.rank() == rank_id(2) ? 17 : 16}, Stencil::box(1), comm);
    domain.add_field<float>("u");
    try {
      domain.realize();
    } catch (const InvalidArgument& error) {
      texts[comm.rank().index()] = error.what();
    }
  });
  for (const auto& text : texts)
    EXPECT_THAT(text, testing::HasSubstr("extent: rank 0 has 16 x 16 x 16, rank 2 has 16 x 16 x 17"));
}

/// The errors of two ranks that are given different machine maps.
std::vector<std::string> told_with(const std::array<machine::MachineMap, 2>& machines) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    DomainOptions options;
    options.machine.map = machines[comm.rank().index()];
    Domain domain({16, 16, 16}, Stencil::box(1), comm, options);
    domain.add_field<float>("u");
    try {
      domain.realize();
      domain.close();
    } catch (const InvalidArgument& error) {
      texts[comm.rank().index()] = error.what();
    }
  });
  return texts;
}

TEST(Plan, ranks_with_different_networks_are_told) {
  const auto one = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  auto other = one;
  other.network.fabric.shape = machine::Torus{.nodes_per_router = 1, .dimensions = {{2, {1e9, 1e-6}}}};
  EXPECT_THAT(told_with({one, one}), testing::Each(""));
  EXPECT_THAT(told_with({one, other}), testing::Each(testing::HasSubstr("machine map: rank 0 has")));
}

TEST(Plan, a_map_that_is_wrong_on_one_rank_is_told_to_all) {
  const auto one = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  auto other = one;
  other.network.bandwidth = -1;
  EXPECT_THAT(told_with({one, other}), testing::Each(testing::HasSubstr("bandwidth is -1")));
}

/// Two ranks with measured devices: kernel stores and copies are much slower than messages.
machine::MachineMap with_slow_peers() {
  machine::MachineMap map = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  for (const auto& [method, rate] :
       {std::pair("put", 1e9), std::pair("copy", 1.2e9), std::pair("mpi_device", 2e9), std::pair("mpi_staged", 9e9)}) {
    for (const int from : {0, 1}) {
      map.types[0].measurements.push_back(
          {.from = from, .to = 1 - from, .method = method, .bandwidth = rate, .traffic = machine::Traffic::two_way});
    }
  }
  return map;
}

TEST(Plan, measured_rates_decide_how_messages_go) {
  comm::run_as_threads(2, [](comm::RankGroup& comm) {
    DomainOptions options;
    options.machine.map = with_slow_peers();
    Domain domain({8, 8, 8}, Stencil::box(1), comm, options);
    const auto u = domain.add_field<double>("u");
    domain.realize();
    for (const RoutedMessage& message : internals(domain).routes()) {
      const bool to_itself = message.route.from == message.route.to;
      EXPECT_EQ(message.route.transport, to_itself ? routing::Transport::self : routing::Transport::mpi_staged);
      const std::string expected = to_itself ? "same subdomain" : "measured, two-way: direct 1 GB/s";
      EXPECT_THAT(message.route.reason, testing::HasSubstr(expected));
    }
    const auto view = domain.subdomains()[0].view(u);
    for_each_cell(view.owned(), [&](const Vec3& p) { view(p) = static_cast<double>(p.x + 10 * p.y + 100 * p.z); });
    domain.exchange();
    domain.synchronize();
    for_each_cell(view.with_halo(), [&](const Vec3& p) {
      const Vec3 q{(p.x + 8) % 8, (p.y + 8) % 8, (p.z + 8) % 8};
      ASSERT_EQ(view(p), static_cast<double>(q.x + 10 * q.y + 100 * q.z));
    });
    domain.close();
  });
}

TEST(Plan, measured_rates_decide_for_a_machine_that_is_not_here) {
  PlanRequest request;
  request.machine = with_slow_peers();
  request.extent = {8, 8, 8};
  request.stencil = Stencil::box(1);
  request.fields.resize(1);
  request.fields[0].name = "u";
  const Plan plan = make_plan(request);
  int staged = 0;
  for (const RoutedMessage& message : assumed_routes(plan, {}, true)) {
    staged += message.route.transport == routing::Transport::mpi_staged ? 1 : 0;
  }
  EXPECT_EQ(staged, 2);
  routing::Policy policy;
  policy.use_measurements = false;
  for (const RoutedMessage& message : assumed_routes(plan, policy, true)) {
    EXPECT_NE(message.route.transport, routing::Transport::mpi_staged);
  }
}

TEST(Plan, a_map_of_other_ranks_is_refused) {
  const auto three = machine::synthetic({.nodes = 1, .devices_per_node = 3, .ranks_per_node = 3});
  EXPECT_THAT(
      told_with({three, three}),
      testing::Each(testing::HasSubstr("machine '" + three.name + "' has 3 ranks; allowed is the communicator's 2")));
}

TEST(Plan, a_map_with_more_devices_than_a_rank_has_is_refused) {
  const auto four = machine::synthetic({.nodes = 1, .devices_per_node = 4, .ranks_per_node = 2});
  EXPECT_THAT(told_with({four, four}),
              testing::Each(testing::HasSubstr("machine '" + four.name + "' gives this rank more devices than its 1")));
}

TEST(Plan, needs_ranks_that_drive_devices) {
  PlanRequest request = request_for(1, 2, {16, 16, 16});
  request.machine.name = "empty";
  request.machine.ranks.clear();
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { return make_plan(request); }),
            "machine 'empty' has no ranks that drive devices; allowed are machines with at least one");
}

}  // namespace
}  // namespace halocline

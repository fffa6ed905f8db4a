// SPDX-License-Identifier: BSD-3-Clause
// Expected times of routes, and the likely cause of a slow one from what set-up has found.
#include "plan/slow_route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/synthetic.hpp"
#include "plan/expected_routes.hpp"

namespace halocline {
namespace {

using routing::Transport;
using testing::HasSubstr;
using testing::StartsWith;

Plan plan_of(machine::MachineMap map) {
  PlanRequest request;
  request.extent = {64, 64, 64};
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u", .element = Element::f32}};
  request.machine = std::move(map);
  return make_plan(request);
}

Plan two_ranks(std::int64_t nodes = 1) {
  return plan_of(machine::synthetic({.nodes = nodes, .devices_per_node = 2 / nodes, .ranks_per_node = 2 / nodes}));
}

SlowRoute slow(Transport transport, Transport expected, std::string reason = "") {
  return {{subdomain_id(0), subdomain_id(1), transport, std::move(reason)}, expected, 1'000'000, 1e-2, 1e-4};
}

const std::vector<RankCores> own_cores{{{0}, -1}, {{1}, -1}};

TEST(SlowRoute, the_reasons_against_the_expected_transport_are_the_cause) {
  const Plan plan = two_ranks();
  struct Planted {
    Transport expected;
    std::string reason;
  };
  const std::string refused = "no mapping: GPU-0 cannot map memory of GPU-1: cudaIpcOpenMemHandle: not permitted";
  const std::string masked = refused + "; this process does not see that GPU (CUDA_VISIBLE_DEVICES=0)";
  const std::string not_aware = "mpi_device not possible (MPI does not take device pointers: the bytes did not arrive)";
  for (const auto& [expected, reason] :
       {Planted{Transport::direct, refused}, {Transport::direct, masked}, {Transport::mpi_device, not_aware}}) {
    const auto route =
        slow(Transport::mpi_staged, expected, "mpi_staged: same node, other process, through host memory; " + reason);
    const std::string text = slow_route_text(route, plan, own_cores, true, 9);
    EXPECT_THAT(text,
                HasSubstr("subdomain 0 -> 1 (rank 0 -> 1) by mpi_staged runs at 0.1 GB/s, predicted are 10 GB/s"));
    EXPECT_THAT(text, HasSubstr("likely cause: mpi_staged instead of " + std::string(to_string(expected))));
    EXPECT_THAT(text, HasSubstr(reason));
    EXPECT_THAT(text, testing::Not(HasSubstr("through host memory"))) << "what was chosen is not a cause";
  }
}

TEST(SlowRoute, a_transport_that_is_better_than_expected_is_no_cause) {
  EXPECT_THAT(
      likely_cause(slow(Transport::mpi_device, Transport::mpi_staged, "mpi_device: two nodes; direct not possible"),
                   two_ranks(2), own_cores, false),
      StartsWith("the network between node-0 and node-1"));
}

TEST(SlowRoute, threads_that_share_cores) {
  const Plan plan = two_ranks();
  const std::vector<RankCores> one_core{{{0}, -1}, {{0}, -1}};
  EXPECT_THAT(likely_cause(slow(Transport::direct, Transport::direct), plan, one_core, false),
              StartsWith("shared cores: rank 0 and 1 more of its node have 2 threads for 1 processing unit;"));
  const std::vector<RankCores> both{{{0, 1}, -1}, {{0, 1}, -1}};
  const std::vector<RankCores> unknown(2);
  for (const auto& cores : {own_cores, both, unknown}) {
    EXPECT_THAT(likely_cause(slow(Transport::direct, Transport::direct), plan, cores, false),
                testing::Not(HasSubstr("shared cores")));
  }
}

/// Two packages with a NUMA node and a GPU each. numa: the place of the first NUMA node in the list, before the packages or behind.
machine::MachineMap two_packages(int numa = 2) {
  using machine::LinkKind;
  using machine::VertexKind;
  machine::MachineMap map = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  machine::NodeType type;
  type.name = "two packages";
  const int package = 2 - numa;
  type.vertices.resize(4);
  for (int p = 0; p < 2; ++p) {
    type.vertices[static_cast<std::size_t>(package + p)] = {VertexKind::package, "package " + std::to_string(p), 0, 8,
                                                            -1};
    type.vertices[static_cast<std::size_t>(numa + p)] = {VertexKind::numa, "NUMA node " + std::to_string(p), 0, 8, -1};
  }
  for (int p = 0; p < 2; ++p) type.vertices.push_back({VertexKind::device, "GPU", 0, 0, 0});
  type.links = {{package, package + 1, LinkKind::inter_package, 20e9, 1e-7}};
  for (int p = 0; p < 2; ++p) {
    type.links.push_back({package + p, numa + p, LinkKind::memory, 100e9, 1e-7});
    type.links.push_back({package + p, 4 + p, LinkKind::pcie, 25e9, 1e-6});
  }
  map.types[0] = type;
  return map;
}

TEST(SlowRoute, a_rank_far_from_its_device) {
  const Plan plan = plan_of(two_packages());
  const std::vector<RankCores> crossed{{{8, 9}, 3}, {{0, 1}, 2}};
  const std::vector<RankCores> near{{{0, 1}, 2}, {{8, 9}, 3}};
  const auto staged = slow(Transport::mpi_staged, Transport::mpi_staged);
  EXPECT_THAT(likely_cause(staged, plan, crossed, true),
              StartsWith("wrong NUMA node: rank 0 runs on NUMA node 1, its device 0 is at NUMA node 0;"));
  EXPECT_THAT(likely_cause(staged, plan, near, true), StartsWith("the link between devices 0 and 1 is below"));
  EXPECT_THAT(likely_cause(slow(Transport::direct, Transport::direct), plan, crossed, true), StartsWith("the link"))
      << "the host's cores are not on that way";
  const std::vector<RankCores> on_first{{{0, 1}, 0}, {{2, 3}, 0}};
  EXPECT_THAT(likely_cause(staged, plan_of(two_packages(0)), on_first, true),
              StartsWith("wrong NUMA node: rank 1 runs on NUMA node 0, its device 1 is at NUMA node 1;"));
}

TEST(SlowRoute, a_capped_link) {
  const auto route = slow(Transport::direct, Transport::direct);
  machine::MachineMap map = two_packages();
  EXPECT_THAT(likely_cause(route, plan_of(map), own_cores, true),
              StartsWith("the link between devices 0 and 1 is below the 20 GB/s of the machine map"));
  map.types[0].measurements = {{.from = 0, .to = 1, .method = "copy", .bandwidth = 5e9, .latency = 1e-6},
                               {.from = 1, .to = 0, .method = "copy", .bandwidth = 20e9, .latency = 1e-6}};
  EXPECT_EQ(likely_cause(route, plan_of(map), own_cores, true),
            "the link between devices 0 and 1 was measured at 5 GB/s, nominal are 20 GB/s");
  EXPECT_THAT(likely_cause(slow(Transport::mpi_staged, Transport::mpi_staged), two_ranks(2), own_cores, false),
              HasSubstr("is below the 25 GB/s of the machine map: a link that is capped, or shared"));
  EXPECT_EQ(
      likely_cause(slow(Transport::direct, Transport::direct), two_ranks(2), own_cores, true),
      "the links between node-0 and node-1 within their rack are below those of the machine map: capped, or shared");
}

TEST(SlowRoute, a_cause_that_is_not_known_is_not_guessed) {
  const Plan plan = plan_of(two_packages());
  const auto staged = slow(Transport::mpi_staged, Transport::mpi_staged);
  const std::vector<RankCores> elsewhere{{{0, 1}, 99}, {{8, 9}, -1}};
  EXPECT_THAT(likely_cause(staged, plan, elsewhere, true), StartsWith("the link between devices 0 and 1 is below"))
      << "a NUMA node that the map does not have";
  // A reason without alternatives is told as it is.
  EXPECT_THAT(likely_cause(slow(Transport::mpi_staged, Transport::direct, "no mapping"), plan, own_cores, true),
              StartsWith("mpi_staged instead of direct: no mapping"));
}

TEST(ExpectedRoutes, are_those_of_the_map_for_the_messages_that_a_rank_receives) {
  const Plan plan = two_ranks(2);
  const auto host = expected_routes(plan, {}, false, rank_id(1));
  const auto gpus = expected_routes(plan, {}, true, rank_id(1));
  ASSERT_EQ(host.size(), 2u) << "from itself, and from the other";
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_EQ(host[i].route.to, subdomain_id(1));
    EXPECT_GT(host[i].seconds, 0);
    EXPECT_GE(host[i].seconds, gpus[i].seconds) << "a line of the host is wider than a sector of a GPU";
  }
  EXPECT_EQ(host[0].route.transport, Transport::mpi_staged);
  EXPECT_EQ(gpus[0].route.transport, Transport::mpi_device);
  EXPECT_EQ(host[1].route.transport, Transport::self);
  const auto forbidden = expected_routes(plan, routing::Policy::parse("self,mpi_staged"), true, rank_id(1));
  EXPECT_EQ(forbidden[0].route.transport, Transport::mpi_staged) << "what the user forbids is not expected";
}

TEST(ExpectedRoutes, devices_share_the_cores_of_their_node) {
  machine::MachineMap map = machine::synthetic({.nodes = 1, .devices_per_node = 4, .ranks_per_node = 4});
  const auto with_cores = [&map](int cores) {
    for (auto& vertex : map.types[0].vertices) {
      if (vertex.kind == machine::VertexKind::package) vertex.cores = cores;
    }
    return expected_routes(plan_of(map), {}, false, rank_id(0)).front().seconds;
  };
  const bool has_package = std::ranges::any_of(
      map.types[0].vertices, [](const auto& vertex) { return vertex.kind == machine::VertexKind::package; });
  if (!has_package) map.types[0].vertices.push_back({machine::VertexKind::package, "package 0", 0, 0, -1});
  if (!has_package) {
    const int device = map.types[0].device_vertices().front();
    map.types[0].links.push_back(
        {device, static_cast<int>(map.types[0].vertices.size()) - 1, machine::LinkKind::memory, 1e9, 1e-6});
  }
  EXPECT_DOUBLE_EQ(with_cores(2), 2 * with_cores(8));
}

TEST(SlowRouteTolerance, is_half_of_the_rate_where_gpus_were_measured) {
  machine::MachineMap map = two_packages();
  EXPECT_EQ(tolerance_of(map, true).factor, 4);
  map.types[0].measurements = {{.from = 0, .to = 1, .method = "copy", .bandwidth = 5e9, .latency = 1e-6}};
  EXPECT_EQ(tolerance_of(map, true).factor, 2);
  EXPECT_EQ(tolerance_of(map, false).factor, 4);
}

TEST(SlowRouteTolerance, grows_with_the_devices_that_share_a_core) {
  machine::MachineMap map = two_packages();
  EXPECT_DOUBLE_EQ(tolerance_of(map, false).seconds, 2e-3);
  map.types[0].vertices[0].cores = 1;
  map.types[0].vertices[1].cores = 0;
  EXPECT_DOUBLE_EQ(tolerance_of(map, false).seconds, 40e-3);
}

TEST(SlowRouteTolerance, grows_with_the_messages_that_a_host_of_gpus_completes) {
  const machine::MachineMap map = two_packages();
  EXPECT_DOUBLE_EQ(tolerance_of(map, true, 26).seconds - tolerance_of(map, true).seconds, 26 * 40e-6);
  EXPECT_EQ(tolerance_of(map, false, 26).seconds, tolerance_of(map, false).seconds);
  const Plan plan = plan_of(map);
  const auto by_host = [&](const routing::Policy& policy, routing::Messages messages) {
    int count = 0;
    for (const auto& expected : expected_routes(plan, policy, true, rank_id(1), messages)) count += expected.by_host;
    return count;
  };
  const routing::Policy staged = routing::Policy::parse("self,mpi_staged");
  EXPECT_EQ(by_host({}, routing::Messages::by_direction), 0);
  EXPECT_GE(by_host(staged, routing::Messages::by_neighbour), 1);
  EXPECT_GT(by_host(staged, routing::Messages::by_direction), by_host(staged, routing::Messages::by_neighbour));
}

}  // namespace
}  // namespace halocline

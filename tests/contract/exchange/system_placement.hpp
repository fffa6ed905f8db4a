// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/gather.hpp"
#include "domain/internals.hpp"
#include "machine/synthetic.hpp"
#include "plan/plan.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {

/// A row of slabs on a ring of nodes, a rank each, that are numbered so that the next node is two hops away, or about half the ring.
inline HaloCase case_on_a_ring(int nodes, int devices) {
  machine::MachineMap map = machine::synthetic({.nodes = nodes, .devices_per_node = devices, .ranks_per_node = 1});
  map.network.bandwidth = 10e9;
  map.network.fabric.shape = machine::Torus{.nodes_per_router = 1, .dimensions = {{nodes, {2e9, 5e-6}}}};
  for (int n = 0; n < nodes; ++n) map.nodes[static_cast<std::size_t>(n)].port = n % 2 * ((nodes + 1) / 2) + n / 2;
  HaloCase c;
  c.map = std::move(map);
  c.place = placement::Method::system;
  c.devices_per_rank = devices;
  c.ranks_per_node = 1;
  c.extent = {9, 8, std::int64_t{4} * nodes * devices + 3};
  c.radius = Stencil::box(2);
  c.fields.emplace_back();
  c.fields[0].name = "u";
  c.fields[0].buffers = 2;
  c.boundaries[2] = Boundary::open;
  c.partition = partition::Method::given;
  c.node_grid = Vec3{1, 1, nodes};
  c.device_grid = Vec3{1, 1, devices};
  return c;
}

/// Collective. The owners of subdomains are others than by default, without another launch, all ranks plan the same, and halos are right.
inline void expect_moved_and_right(comm::RankGroup& world, int devices) {
  const HaloCase c = case_on_a_ring(world.size(), devices);
  {
    Domain domain(c.extent, c.radius, world, options_of(world, c));
    domain.add_field<float>("u");
    domain.realize();
    const Plan& plan = internals(domain).plan();
    // `fastest` moves whole nodes, too, and leaves nothing to `system` on small rings.
    EXPECT_THAT(plan.placement_method, testing::AnyOf(placement::Method::fastest, placement::Method::system));
    int moved = 0;
    for (std::int64_t s = 0; s < plan.geometry.partition.size(); ++s) {
      const rank_id owner = plan.owner(subdomain_id(s));
      if (owner != rank_id(s / devices)) ++moved;
      for (const std::int64_t of_rank : comm::gather_value(world, owner.value())) EXPECT_EQ(of_rank, owner.value());
    }
    EXPECT_GT(moved, 0);
    domain.close();
  }
  const HaloOutcome outcome = run_case(world, c);
  EXPECT_EQ(outcome.wrong, "") << "rank " << world.rank().value();
  EXPECT_GT(outcome.cells, 0);
}

}  // namespace halocline::test

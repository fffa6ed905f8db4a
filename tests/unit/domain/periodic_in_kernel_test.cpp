// SPDX-License-Identifier: BSD-3-Clause
// periodic_in_kernel: no halo in dimensions that are not cut, and the halos of periodic in dimensions that are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/halocline.hpp"
#include "machine/synthetic.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"
#include "plan/plan.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Boundaries wrapped_in_x{Boundary::periodic_in_kernel, Boundary::periodic, Boundary::periodic};

PlanRequest request_for(const Vec3& device_grid, int steps_per_exchange = 1) {
  PlanRequest request;
  request.extent = {24, 20, 16};
  request.stencil = Stencil::box(2);
  request.fields = {{.name = "u"}, {.name = "v", .stencil = Stencil::per_side({1, 0, 1}, {3, 2, 1})}};
  request.boundaries = wrapped_in_x;
  request.machine = machine::synthetic({.devices_per_node = static_cast<int>(device_grid.volume()),
                                        .ranks_per_node = static_cast<int>(device_grid.volume())});
  request.partition = partition::Method::given;
  request.device_grid = device_grid;
  request.steps_per_exchange = steps_per_exchange;
  return request;
}

TEST(Wrapped, has_no_halo_where_it_is_not_cut) {
  for (const int steps_per_exchange : {1, 3}) {
    const Plan plan = make_plan(request_for({1, 2, 2}, steps_per_exchange));
    EXPECT_TRUE(plan.geometry.wraps(0));
    EXPECT_FALSE(plan.geometry.wraps(1));
    for (const field_id field : {field_id(0), field_id(1)}) {
      const HaloWidth& halo = plan.geometry.halo_of(field);
      EXPECT_EQ(halo.lower().x, 0);
      EXPECT_EQ(halo.upper().x, 0);
      for (const Direction d : all_directions) EXPECT_FALSE(d[0] != 0 && halo.has(d));
      EXPECT_TRUE(halo.has(Direction::of(0, 1, 1)));
    }
    for (const auto& message : partition::outgoing(plan.geometry, subdomain_id(0))) {
      for (const auto& segment : message.segments) EXPECT_EQ(segment.direction[0], 0);
    }
    EXPECT_THAT(explain_partition(plan), HasSubstr("kernels wrap in x, which has no halo"));
  }
}

TEST(Wrapped, is_periodic_where_it_is_cut) {
  const PlanRequest wrapped = request_for({2, 2, 1});
  PlanRequest periodic = wrapped;
  periodic.boundaries = all_periodic;
  const Plan plan = make_plan(wrapped);
  EXPECT_FALSE(plan.geometry.wraps(0));
  EXPECT_EQ(plan.geometry.halo_of(field_id(0)), HaloWidth(wrapped.stencil));
  EXPECT_EQ(plan.geometry.halo_of(field_id(1)), HaloWidth(*wrapped.fields[1].stencil));
  const Plan other = make_plan(periodic);
  for (std::int64_t s = 0; s < 4; ++s) {
    const auto ours = partition::outgoing(plan.geometry, subdomain_id(s));
    const auto theirs = partition::outgoing(other.geometry, subdomain_id(s));
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t m = 0; m < ours.size(); ++m) EXPECT_EQ(ours[m].bytes(), theirs[m].bytes());
  }
  EXPECT_THAT(explain_partition(plan), Not(HasSubstr("kernels wrap")));
}

TEST(Wrapped, may_be_thinner_than_the_radius_where_it_is_not_cut) {
  PlanRequest request = request_for({1, 2, 2});
  request.extent.x = 1;
  EXPECT_NO_THROW(static_cast<void>(make_plan(request)));
  request.boundaries = all_periodic;
  EXPECT_THROW(static_cast<void>(make_plan(request)), InvalidArgument);
}

/// 8 parts of 64 x 64 x 40: with halos on all sides 2 x 2 x 2 is cheapest; without halos in an uncut x, a grid that
/// leaves x whole.
TEST(Wrapped, dimensions_cost_nothing_where_exact_leaves_them_whole) {
  partition::Request request{.extent = {64, 64, 40}, .halo = Stencil::box(1), .devices_per_node = 8};
  EXPECT_EQ(partition::make_partition(request).grid(), (Vec3{2, 2, 2}));
  request.boundaries = wrapped_in_x;
  EXPECT_EQ(partition::make_partition(request).grid(), (Vec3{1, 4, 2}));
  request.nodes = 8;
  request.devices_per_node = 1;
  EXPECT_EQ(partition::make_partition(request).grid(), (Vec3{1, 4, 2}));
}

TEST(Wrapped, subdomains_show_what_there_is) {
  DomainOptions options;
  options.devices.per_rank = 2;
  options.devices.kind = halocline::DeviceKind::host;
  options.boundaries = wrapped_in_x;
  options.partition.method = partition::Method::given;
  options.partition.device_grid = Vec3{1, 1, 2};
  Domain domain({12, 10, 16}, Stencil::box(2), options);
  const auto u = domain.add_field<float>("u");
  domain.realize();
  for (const Subdomain& subdomain : domain.subdomains()) {
    EXPECT_TRUE(subdomain.wraps(0));
    EXPECT_FALSE(subdomain.wraps(1));
    EXPECT_FALSE(subdomain.wraps(2));
    const Box cells = subdomain.view(u).with_halo();
    EXPECT_EQ(cells.lo.x, 0);
    EXPECT_EQ(cells.hi.x, 12);
    EXPECT_EQ(cells.lo.y, -2);
    EXPECT_EQ(subdomain.interior().lo.x, 0) << "cells beside an end wait for no halo";
    EXPECT_EQ(subdomain.interior().hi.x, 12);
    EXPECT_EQ(subdomain.boundary().size(), 4u);
  }
  domain.close();
}

}  // namespace
}  // namespace halocline

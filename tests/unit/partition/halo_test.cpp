// SPDX-License-Identifier: BSD-3-Clause
#include "partition/halo.hpp"

#include <gtest/gtest.h>

#include "fields.hpp"
#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "support/lattice.hpp"

namespace halocline::partition {
namespace {

Geometry make(const Vec3& extent, const Vec3& grid, const Stencil& radius, std::vector<FieldDescriptor> fields,
              Boundaries boundaries = all_periodic) {
  Request request{.extent = extent, .halo = radius, .nodes = grid.volume()};
  request.method = Method::given;
  request.node_grid = grid;
  request.boundaries = boundaries;
  return {make_partition(request), std::move(fields), radius, boundaries};
}

FieldDescriptor field_with_components(int components) {
  FieldDescriptor field = field_named("f");
  field.components = components;
  return field;
}

TEST(Halo, WidthsAreThoseOfTheReceiversSide) {
  // One cell is read below in x, three above: messages towards +x fill lower halos, one cell wide.
  const Geometry g = make({20, 8, 8}, {2, 1, 1}, Stencil::per_side({1, 0, 0}, {3, 0, 0}), {field_named("u")});
  const std::vector<Message> sent = outgoing(g, subdomain_id(0));
  ASSERT_EQ(sent.size(), 1u);
  ASSERT_EQ(sent[0].segments.size(), 2u);  // the same neighbour on both sides
  const Segment& down = sent[0].segments[0];
  EXPECT_EQ(down.direction, Direction::of(-1, 0, 0));
  EXPECT_EQ(down.source, (Box{{0, 0, 0}, {3, 8, 8}}));
  EXPECT_EQ(down.target, (Box{{20, 0, 0}, {23, 8, 8}}));
  const Segment& up = sent[0].segments[1];
  EXPECT_EQ(up.source, (Box{{9, 0, 0}, {10, 8, 8}}));
  EXPECT_EQ(up.target, (Box{{9, 0, 0}, {10, 8, 8}}));
  EXPECT_EQ(up.bytes, 64 * 4);
}

TEST(Halo, ASubdomainIsItsOwnNeighbourWhereTheDomainIsOneWide) {
  const Geometry g = make({4, 5, 6}, {1, 1, 1}, Stencil::box(2), {field_named("u")});
  const std::vector<Message> sent = outgoing(g, subdomain_id(0));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].from, sent[0].to);
  EXPECT_EQ(sent[0].segments.size(), 26u);
  EXPECT_EQ(sent[0].bytes(), 4 * (8 * 9 * 10 - 4 * 5 * 6));
}

TEST(Halo, NothingLeavesThroughAnOpenBoundary) {
  const Boundaries open{Boundary::open, Boundary::open, Boundary::open};
  const Geometry g = make({8, 8, 8}, {2, 1, 1}, Stencil::box(1), {field_named("u")}, open);
  ASSERT_EQ(outgoing(g, subdomain_id(0)).size(), 1u);
  EXPECT_EQ(outgoing(g, subdomain_id(0))[0].segments.size(), 1u);
  EXPECT_FALSE(neighbour(g, subdomain_id(0), Direction::of(-1, 0, 0)));
  // The halo exists nevertheless, for the boundary condition.
  EXPECT_EQ(g.halo(field_id(0), subdomain_id(0), Direction::of(-1, 0, 0)), (Box{{-1, 0, 0}, {0, 8, 8}}));
}

TEST(Halo, FieldsHaveTheirOwnRadiusTypeAndComponents) {
  FieldDescriptor vectors = field_named("v", Stencil::box(2, 0, 0));
  vectors.element = Element::f64;
  vectors.components = 3;
  const Geometry g =
      make({16, 8, 8}, {2, 1, 1}, Stencil::box(1, 0, 0), {field_named("none", Stencil()), field_named("u"), vectors});
  const std::vector<Message> received = incoming(g, subdomain_id(1));
  ASSERT_EQ(received.size(), 1u);
  ASSERT_EQ(received[0].segments.size(), 4u);
  EXPECT_EQ(received[0].segments[0].field, field_id(1));
  EXPECT_EQ(received[0].segments[0].bytes, 64 * 4);
  EXPECT_EQ(received[0].segments[3].field, field_id(2));
  EXPECT_EQ(received[0].segments[3].bytes, 2 * 64 * 8 * 3);
  EXPECT_THROW((void)g.halo_of(field_id(3)), InvalidArgument);
}

TEST(Halo, ComponentsAreCountedInTheDirectionsThatTheyAreSentTowards) {
  const Vec3 n{8, 9, 10};
  const Geometry all = make(n, {1, 1, 1}, Stencil::box(1), {field_with_components(19)});
  Geometry by_direction = all;
  by_direction.fields[0].component_directions = directions_of_velocities(test::d3q19_velocities());
  const std::int64_t faces = 2 * (8 * 9 + 9 * 10 + 10 * 8);
  const std::int64_t edges = 4 * (8 + 9 + 10);
  EXPECT_EQ(outgoing(all, subdomain_id(0))[0].bytes(), 4 * 19 * (faces + edges + 8));
  const std::vector<Message> sent = outgoing(by_direction, subdomain_id(0));
  EXPECT_EQ(sent[0].bytes(), 4 * (5 * faces + edges));
  EXPECT_EQ(sent[0].segments.size(), 18u);  // no component crosses a corner
  EXPECT_EQ(outgoing_flows(by_direction, subdomain_id(0))[0].bytes, sent[0].bytes());
}

TEST(Halo, AComponentIsSentTowardsTheDirectionsThatItHas) {
  FieldDescriptor field = field_with_components(70);
  field.component_directions.resize(70);
  const Direction up = Direction::of(1, 0, 0);
  field.component_directions[69].set(static_cast<std::size_t>(up.index()));
  EXPECT_TRUE(is_sent(field, 69, up));
  EXPECT_FALSE(is_sent(field, 68, up));
  EXPECT_FALSE(is_sent(field, 69, up.opposite()));
  const Geometry g = make({8, 8, 8}, {2, 1, 1}, Stencil::box(1, 0, 0), {field});
  const std::vector<Message> received = incoming(g, subdomain_id(1));
  ASSERT_EQ(received.size(), 1u);
  ASSERT_EQ(received[0].segments.size(), 1u);
  EXPECT_EQ(received[0].segments[0].target, (Box{{3, 0, 0}, {4, 8, 8}}));
  EXPECT_EQ(received[0].bytes(), 4 * 64);
}

TEST(Halo, AFieldOfWhichNoComponentIsSentMakesNoMessage) {
  FieldDescriptor field = field_with_components(2);
  field.component_directions.resize(2);
  field.component_directions[0].set(static_cast<std::size_t>(Direction::of(0, 1, 1).index()));  // not read
  const Geometry g = make({16, 8, 8}, {2, 1, 1}, Stencil::star(1), {field});
  EXPECT_TRUE(outgoing(g, subdomain_id(0)).empty());
  EXPECT_TRUE(outgoing_flows(g, subdomain_id(0)).empty());
}

TEST(Halo, AFieldWithoutHaloMakesNoMessage) {
  const Geometry g = make({16, 8, 8}, {2, 1, 1}, Stencil(), {field_named("u")});
  EXPECT_TRUE(outgoing(g, subdomain_id(0)).empty());
  EXPECT_TRUE(outgoing_flows(g, subdomain_id(0)).empty());
}

TEST(Halo, AStaggeredFieldIsOneLongerAtAnOpenEnd) {
  FieldDescriptor staggered = field_named("u");
  staggered.staggered = {true, true, false};
  Boundaries boundaries = all_periodic;
  boundaries[0] = Boundary::open;
  const Geometry g = make({16, 8, 8}, {2, 2, 1}, Stencil::box(1), {staggered}, boundaries);
  EXPECT_EQ(g.domain_box(field_id(0)), (Box{{0, 0, 0}, {17, 8, 8}}));
  EXPECT_EQ(g.owned(field_id(0), subdomain_id(0)), (Box{{0, 0, 0}, {8, 4, 8}}));
  EXPECT_EQ(g.owned(field_id(0), subdomain_id(3)), (Box{{8, 4, 0}, {17, 8, 8}}));
  EXPECT_EQ(g.with_halo(field_id(0), subdomain_id(3)), (Box{{7, 3, -1}, {18, 9, 9}}));
}

}  // namespace
}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#include "partition/shared_cells.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "partition/strategy.hpp"

namespace halocline::partition {
namespace {

Geometry cut(const Vec3& extent, const Vec3& grid, std::vector<FieldDescriptor> fields) {
  Request request{.extent = extent, .halo = Stencil::box(2), .nodes = grid.volume()};
  request.method = Method::given;
  request.node_grid = grid;
  return {make_partition(request), std::move(fields), Stencil::box(2)};
}

TEST(SharedCells, AreOfFacesWhereADimensionIsNotCut) {
  const FieldDescriptor u{.name = "u", .element = Element::f32};
  const FieldDescriptor v{.name = "v", .element = Element::f64, .stencil = Stencil::box(1)};
  const Geometry geometry = cut({8, 12, 32}, {1, 1, 4}, {u, v});
  for (const Message& message : outgoing(geometry, subdomain_id(1))) {
    if (message.to == subdomain_id(1)) continue;
    ASSERT_EQ(message.segments.size(), 18U);
    const std::vector<std::size_t> holder = holders(message.segments);
    for (std::size_t i = 0; i < holder.size(); ++i) {
      const Segment& by = message.segments[holder[i]];
      EXPECT_EQ(by.field, message.segments[i].field);
      EXPECT_EQ(by.direction, Direction::of(0, 0, message.segments[i].direction[2]));
      EXPECT_EQ(holder[holder[i]], holder[i]);
    }
    EXPECT_EQ(bytes_once(message), 8 * 12 * (2 * 4 + 8));
    EXPECT_EQ(message.bytes(), 12 * 16 * 2 * 4 + 10 * 14 * 8);
  }
}

TEST(SharedCells, AreOfEqualSegmentsInTheFirst) {
  const Geometry geometry = cut({8, 8, 4}, {1, 1, 2}, {{.name = "u", .element = Element::f32}});
  const Message message = outgoing(geometry, subdomain_id(0)).at(1);
  ASSERT_EQ(message.segments.size(), 18U) << "down and up, of two planes each, which are all";
  EXPECT_EQ(bytes_once(message), 8 * 8 * 2 * 4);
}

TEST(SharedCells, AreNoneWhereAllDimensionsAreCut) {
  const Geometry geometry = cut({24, 24, 24}, {3, 3, 3}, {{.name = "u", .element = Element::f32}});
  for (const Message& message : outgoing(geometry, subdomain_id(0))) {
    std::vector<std::size_t> own(message.segments.size());
    std::iota(own.begin(), own.end(), std::size_t{0});
    EXPECT_EQ(holders(message.segments), own);
    EXPECT_EQ(bytes_once(message), message.bytes());
  }
}

/// The holder of a segment would have more components than it.
TEST(SharedCells, AreNoneOfComponentsByDirection) {
  FieldDescriptor field{.name = "w", .element = Element::f32, .components = 2};
  field.component_directions = {Directions().set(), Directions().set()};
  for (const int x : {-1, 0, 1}) {
    for (const int y : {-1, 0, 1}) {
      if (x != 0 || y != 0)
        field.component_directions[1].reset(static_cast<std::size_t>(Direction::of(x, y, 1).index()));
    }
  }
  const Geometry geometry = cut({8, 8, 32}, {1, 1, 4}, {field});
  for (const Message& message : outgoing(geometry, subdomain_id(1))) {
    if (message.to == subdomain_id(2)) {
      EXPECT_EQ(bytes_once(message), message.bytes());
    }
    if (message.to == subdomain_id(0)) {
      EXPECT_EQ(bytes_once(message), 8 * 8 * 2 * 8);
    }
  }
}

}  // namespace
}  // namespace halocline::partition

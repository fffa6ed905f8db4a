// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "halocline/error.hpp"
#include "partition/halo.hpp"
#include "partition/strategy.hpp"

namespace halocline::partition {
namespace {

Partition z_ordered(const Vec3& extent, std::int64_t nodes, std::int64_t devices) {
  Request request{.extent = extent, .halo = Stencil::box(1), .nodes = nodes, .devices_per_node = devices};
  request.method = Method::z_order;
  return make_partition(request);
}

/// Over a periodic domain: the set of the numbers of faces that a device shares with other nodes.
std::set<int> off_node_faces(const Partition& p) {
  const Geometry geometry{p, {}, Stencil::box(1), all_periodic};
  std::set<int> counts;
  for (std::int64_t s = 0; s < p.size(); ++s) {
    int count = 0;
    for (const Direction d : all_directions) {
      if (d.order() != 1) continue;
      const subdomain_id other = neighbour(geometry, subdomain_id(s), d)->subdomain;
      if (p.node_part_of(other) != p.node_part_of(subdomain_id(s))) ++count;
    }
    counts.insert(count);
  }
  return counts;
}

TEST(Morton, SpreadsBitsAndGathersThemAgain) {
  EXPECT_EQ(morton_position(0), (Vec3{0, 0, 0}));
  EXPECT_EQ(morton_position(1), (Vec3{1, 0, 0}));
  EXPECT_EQ(morton_position(2), (Vec3{0, 1, 0}));
  EXPECT_EQ(morton_position(4), (Vec3{0, 0, 1}));
  EXPECT_EQ(morton_position(0b110101), (Vec3{0b01, 0b10, 0b11}));  // abcdef -> cf, be, ad
  for (std::int64_t i = 0; i < 5000; ++i) EXPECT_EQ(morton_index(morton_position(i * 7919)), i * 7919);
  EXPECT_THROW((void)morton_position(-1), InvalidArgument);
  EXPECT_THROW((void)morton_index({std::int64_t{1} << 21, 0, 0}), InvalidArgument);
}

TEST(ZOrder, IsTheCurveForPowersOfTwo) {
  for (const auto& [nodes, devices] : {std::pair{1, 8}, {8, 1}, {4, 4}, {2, 2}, {16, 8}, {32, 2}, {1, 64}}) {
    const Partition p = z_ordered({64, 64, 64}, nodes, devices);
    EXPECT_EQ(p.grid(), morton_position(nodes * devices - 1) + Vec3::filled(1));
    EXPECT_EQ(p.device_grid(), morton_position(devices - 1) + Vec3::filled(1));
    for (std::int64_t s = 0; s < p.size(); ++s) {
      EXPECT_EQ(p.index_of(subdomain_id(s)), morton_position(s)) << nodes << " nodes of " << devices;
      EXPECT_EQ(p.at(p.index_of(subdomain_id(s))), subdomain_id(s));
    }
  }
}

TEST(ZOrder, TakesTheGridOfExactOtherwise) {
  const Partition p = z_ordered({96, 96, 96}, 6, 6);
  Request request{.extent = {96, 96, 96}, .halo = Stencil::box(1), .nodes = 6, .devices_per_node = 6};
  const Partition exact = make_partition(request);
  EXPECT_EQ(p.node_grid(), exact.node_grid());
  EXPECT_EQ(p.device_grid(), exact.device_grid());
  for (std::int64_t node = 0; node < 6; ++node) {
    std::int64_t previous = -1;
    std::set<Vec3> blocks;
    for (std::int64_t s = node * 6; s < node * 6 + 6; ++s) {
      const Vec3 index = p.index_of(subdomain_id(s));
      EXPECT_EQ(p.at(index), subdomain_id(s));
      const Vec3 d = p.device_grid();
      const Vec3 block{index.x / d.x, index.y / d.y, index.z / d.z};
      blocks.insert(block);
      const std::int64_t code = morton_index(index - block * d);
      EXPECT_GT(code, previous);
      previous = code;
    }
    EXPECT_EQ(blocks.size(), 1u) << "a node's part must be a box";
  }
}

TEST(ZOrder, TakesTheGridOfExactWhereTheCurveDoesNotFit) {
  EXPECT_EQ(z_ordered({64, 64, 1}, 1, 8).grid(), (Vec3{2, 4, 1}));
}

// Pekkilä et al., section 3.3: eight devices a node, many nodes.
TEST(ZOrder, LeavesThreeOffNodeFacesWhereRowsLeaveFourOrFive) {
  EXPECT_EQ(off_node_faces(z_ordered({64, 64, 64}, 64, 8)), std::set<int>{3});
  Request rows{.extent = {256, 64, 64}, .halo = Stencil::box(1), .nodes = 64, .devices_per_node = 8};
  rows.method = Method::given;
  rows.node_grid = Vec3{4, 4, 4};
  rows.device_grid = Vec3{8, 1, 1};
  EXPECT_EQ(off_node_faces(make_partition(rows)), (std::set<int>{4, 5}));
}

}  // namespace
}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
// Cuts given by the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"
#include "support/error_of.hpp"

namespace halocline::partition {
namespace {

Request with_cuts(std::int64_t nodes, std::int64_t devices_per_node, Cuts cuts) {
  Request request{.extent = {cuts[0].back(), cuts[1].back(), cuts[2].back()}, .halo = Stencil::box(1)};
  request.nodes = nodes;
  request.devices_per_node = devices_per_node;
  request.cuts = std::move(cuts);
  return request;
}

std::string refusal(const Request& request) {
  return test::error_of<InvalidArgument>([&] { return make_partition(request); });
}

TEST(GivenCuts, AreThePartition) {
  const Cuts cuts{{{0, 3, 20}, {0, 1, 2, 7}, {0, 5}}};
  const Partition p = make_partition(with_cuts(1, 6, cuts));
  for (int dim = 0; dim < 3; ++dim) EXPECT_EQ(p.cuts(dim), cuts[static_cast<std::size_t>(dim)]);
  EXPECT_EQ(p.box_of(subdomain_id(0)), (Box{{0, 0, 0}, {3, 1, 5}}));
  EXPECT_EQ(p.box_of(subdomain_id(1)), (Box{{3, 0, 0}, {20, 1, 5}}));
  EXPECT_EQ(p.box_of(subdomain_id(4)), (Box{{0, 2, 0}, {3, 7, 5}}));
}

TEST(GivenCuts, CountWhateverTheMethodIs) {
  for (const Method method : {Method::exact, Method::bisection, Method::z_order, Method::fastest, Method::given}) {
    Request request = with_cuts(1, 2, {{{0, 1, 8}, {0, 8}, {0, 8}}});
    request.method = method;
    EXPECT_EQ(make_partition(request).cuts(0), (std::vector<std::int64_t>{0, 1, 8}));
  }
}

// Of the node grids that divide the grid of the cuts, the one with the least halo.
TEST(GivenCuts, AreSharedAmongNodesWithTheLeastHalo) {
  const Cuts cuts{{{0, 10, 40}, {0, 10, 40}, {0, 100, 120, 160}}};
  const Partition p = make_partition(with_cuts(2, 6, cuts));
  EXPECT_EQ(p.grid(), (Vec3{2, 2, 3}));
  EXPECT_EQ(p.node_grid(), (Vec3{1, 2, 1}));
  EXPECT_EQ(p.device_grid(), (Vec3{2, 1, 3}));
  Request request = with_cuts(2, 6, cuts);
  request.node_grid = Vec3{2, 1, 1};
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{2, 1, 1}));
  request = with_cuts(2, 6, cuts);
  request.device_grid = Vec3{1, 2, 3};
  EXPECT_EQ(make_partition(request).node_grid(), (Vec3{2, 1, 1}));
}

// For any distribution of the parts over the dimensions, some node grid divides them.
TEST(GivenCuts, FindANodeGridForEachGrid) {
  const auto positions = [](std::int64_t parts) {
    std::vector<std::int64_t> cuts;
    for (std::int64_t i = 0; i <= parts; ++i) cuts.push_back(3 * i);
    return cuts;
  };
  for (const Vec3& grid : {Vec3{12, 1, 1}, Vec3{1, 6, 2}, Vec3{3, 2, 2}, Vec3{1, 1, 12}}) {
    for (const std::int64_t nodes : {1, 2, 3, 4, 6, 12}) {
      const Partition p =
          make_partition(with_cuts(nodes, 12 / nodes, {positions(grid.x), positions(grid.y), positions(grid.z)}));
      EXPECT_EQ(p.grid(), grid);
      EXPECT_EQ(p.nodes(), nodes);
    }
  }
}

TEST(GivenCuts, ErrorsNameDimensionPositionAndValue) {
  const auto in_y = [](std::vector<std::int64_t> cuts) {
    Request request = with_cuts(1, 2, {{{0, 8}, {0, 4, 8}, {0, 8}}});
    (*request.cuts)[1] = std::move(cuts);
    return refusal(request);
  };
  EXPECT_EQ(in_y({0, 3, 8}), "(no error)");
  EXPECT_EQ(in_y({0, 0, 8}), "cut 1 in y is 0; allowed is more than the cut before it, 0");
  EXPECT_EQ(in_y({0, 9, 8}), "cut 2 in y is 8; allowed is more than the cut before it, 9");
  EXPECT_EQ(in_y({1, 3, 8}), "cuts in y go from 1 to 8; allowed is from 0 to the extent, 8");
  EXPECT_EQ(in_y({0, 3, 7}), "cuts in y go from 0 to 7; allowed is from 0 to the extent, 8");
  EXPECT_EQ(in_y({0}), "number of cuts in y is 1; allowed are 2 or more, from 0 to the extent");
  EXPECT_EQ(in_y({}), "number of cuts in y is 0; allowed are 2 or more, from 0 to the extent");
  EXPECT_EQ(in_y({0, 8}), "cuts are for 1 x 1 x 1 subdomains, 1 in all; allowed are as many as there are devices, 2");
}

TEST(GivenCuts, ErrorsNameWhatDoesNotGoWithThem) {
  Request request = with_cuts(2, 2, {{{0, 2, 8}, {0, 2, 8}, {0, 8}}});
  request.node_grid = Vec3{1, 1, 2};
  EXPECT_EQ(refusal(request),
            "node_grid is 1 x 1 x 2 and device_grid is unset; allowed are 2 and 2 parts that are 2 x 2 x 1 together, "
            "as the cuts are");
  request.node_grid.reset();
  request.weights = {1, 1, 2, 2};
  EXPECT_EQ(refusal(request), "number of weights is 4; allowed beside cuts is none");
}

}  // namespace
}  // namespace halocline::partition

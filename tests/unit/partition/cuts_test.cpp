// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "halocline/error.hpp"
#include "partition/strategy.hpp"

namespace halocline::partition {
namespace {

std::vector<std::int64_t> sizes(const Partition& p, int dim) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 1; i < p.cuts(dim).size(); ++i) result.push_back(p.cuts(dim)[i] - p.cuts(dim)[i - 1]);
  return result;
}

Partition weighted(const Vec3& extent, const Vec3& nodes, const Vec3& devices, const Stencil& radius,
                   std::vector<double> weights) {
  Request request{.extent = extent, .halo = radius, .nodes = nodes.volume(), .devices_per_node = devices.volume()};
  request.method = Method::given;
  request.node_grid = nodes;
  request.device_grid = devices;
  request.weights = std::move(weights);
  return make_partition(request);
}

TEST(Cuts, DifferByOneCellAtMostOnBothLevels) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto number = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random() % most); };
    const Vec3 nodes{number(5), number(4), number(3)};
    const Vec3 devices{number(3), number(4), number(2)};
    const Vec3 grid = nodes * devices;
    const Partition p = weighted(grid + Vec3{number(40), number(50), number(60)}, nodes, devices, Stencil::box(1), {});
    for (int dim = 0; dim < 3; ++dim) {
      const auto [least, most] = std::ranges::minmax(sizes(p, dim));
      EXPECT_LE(most - least, 1);
      const auto step = static_cast<std::size_t>(devices[dim]);
      std::vector<std::int64_t> node_sizes;
      for (std::size_t k = step; k < p.cuts(dim).size(); k += step) {
        node_sizes.push_back(p.cuts(dim)[k] - p.cuts(dim)[k - step]);
      }
      const auto [node_least, node_most] = std::ranges::minmax(node_sizes);
      EXPECT_LE(node_most - node_least, 1);
    }
  }
}

TEST(Cuts, AllMethodsGiveEvenParts) {
  for (const Method method : {Method::bisection, Method::exact, Method::z_order}) {
    for (const std::int64_t devices : {1, 4, 6, 8}) {
      Request request{.extent = {101, 67, 89}, .halo = Stencil::box(2), .nodes = 5};
      request.devices_per_node = devices;
      request.method = method;
      const Partition p = make_partition(request);
      EXPECT_EQ(p.size(), 5 * devices);
      std::int64_t cells = 0;
      for (std::int64_t s = 0; s < p.size(); ++s) cells += p.box_of(subdomain_id(s)).volume();
      EXPECT_EQ(cells, request.extent.volume());
      for (int dim = 0; dim < 3; ++dim) {
        const auto [least, most] = std::ranges::minmax(sizes(p, dim));
        EXPECT_LE(most - least, 1) << to_string(method);
      }
    }
  }
}

// Computed by hand: 12 cells in the ratio 1 : 3 : 2.
TEST(Weights, GiveSlabsCellsInProportion) {
  const Partition p = weighted({12, 8, 8}, {3, 1, 1}, {1, 1, 1}, Stencil::box(1), {1, 3, 2});
  EXPECT_EQ(sizes(p, 0), (std::vector<std::int64_t>{2, 6, 4}));
}

TEST(Weights, AddUpOverASlab) {
  // x slabs weigh 1 + 1 and 3 + 3; y slabs 1 + 3 and 1 + 3.
  const Partition p = weighted({16, 10, 8}, {1, 2, 1}, {2, 1, 1}, Stencil::box(1), {1, 3, 1, 3});
  EXPECT_EQ(sizes(p, 0), (std::vector<std::int64_t>{4, 12}));
  EXPECT_EQ(sizes(p, 1), (std::vector<std::int64_t>{5, 5}));
}

TEST(Weights, GoBySubdomainInAnyOrder) {
  Request request{.extent = {40, 40, 40}, .halo = Stencil::box(1), .nodes = 2, .devices_per_node = 2};
  request.method = Method::z_order;
  request.weights = {1, 1, 3, 3};  // the second node is three times as fast; it is the upper one in x or y
  const Partition p = make_partition(request);
  EXPECT_EQ(p.box_of(subdomain_id(3)).volume(), 3 * p.box_of(subdomain_id(0)).volume());
}

TEST(Weights, NeverGoBelowWhatTheRadiusNeeds) {
  const Partition p = weighted({20, 8, 8}, {4, 1, 1}, {1, 1, 1}, Stencil::box(3), {1e-9, 1, 1e6, 1e-3});
  EXPECT_EQ(sizes(p, 0), (std::vector<std::int64_t>{3, 3, 11, 3}));
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> weights;
    for (int k = 0; k < 7; ++k) weights.push_back(1e-3 * static_cast<double>(1 + random() % 100000));
    const auto extent = static_cast<std::int64_t>(21 + random() % 100);
    const Partition q = weighted({extent, 8, 8}, {7, 1, 1}, {1, 1, 1}, Stencil::box(3), weights);
    EXPECT_GE(std::ranges::min(sizes(q, 0)), 3);
  }
}

TEST(Weights, AreAsWithoutWhereEqual) {
  EXPECT_EQ(weighted({11, 8, 8}, {3, 1, 1}, {1, 1, 1}, Stencil::box(1), {2, 2, 2}),
            weighted({11, 8, 8}, {3, 1, 1}, {1, 1, 1}, Stencil::box(1), {}));
}

TEST(Weights, MustBePositiveAndOneADevice) {
  for (const std::vector<double>& bad : {std::vector<double>{1, 0}, {1, -1}, {1, 1, 1}, {1, std::nan("")}}) {
    EXPECT_THROW((void)weighted({12, 8, 8}, {2, 1, 1}, {1, 1, 1}, Stencil::box(1), bad), InvalidArgument);
  }
}

}  // namespace
}  // namespace halocline::partition

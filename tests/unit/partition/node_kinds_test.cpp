// SPDX-License-Identifier: BSD-3-Clause
#include "partition/node_kinds.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "partition/strategy.hpp"
#include "support/effort.hpp"
#include "support/seeded.hpp"

namespace halocline::partition {
namespace {

/// The traffic of a node part, relative to its position: bytes between its parts, and bytes that each part sends to
/// other nodes.
std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> doings(const Geometry& geometry, std::int64_t part) {
  const std::int64_t n = geometry.partition.devices_per_node();
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> all;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t elsewhere = 0;
    for (const Flow& flow : outgoing_flows(geometry, subdomain_id(part * n + i))) {
      const std::int64_t j = flow.to.value() - part * n;
      if (j < 0 || j >= n) {
        elsewhere += flow.bytes;
      } else {
        all.emplace_back(i, j, flow.bytes);
      }
    }
    all.emplace_back(i, -1, elsewhere);
  }
  return all;
}

Geometry random_geometry(test::Seeded& random, bool weighted) {
  const Stencil stencil = Stencil::box(random.between(1, 2));
  Request request{.extent = {}, .halo = stencil};
  Vec3 nodes;
  Vec3 devices;
  for (int dim = 0; dim < 3; ++dim) {
    nodes[dim] = random.between(1, 5);
    devices[dim] = random.between(1, 2);
    request.extent[dim] = nodes[dim] * devices[dim] * 4 + random.between(0, 9);
    request.boundaries[static_cast<std::size_t>(dim)] = random.chance(50) ? Boundary::open : Boundary::periodic;
  }
  request.nodes = nodes.volume();
  request.devices_per_node = devices.volume();
  request.method = Method::given;
  request.node_grid = nodes;
  request.device_grid = devices;
  request.order = random.chance(50) ? Order::z_order : Order::row_major;
  if (weighted) {
    for (std::int64_t s = 0; s < request.nodes * request.devices_per_node; ++s) {
      request.weights.push_back(static_cast<double>(random.between(1, 3)));
    }
  }
  std::vector<FieldDescriptor> fields(2);
  fields[1].staggered[static_cast<std::size_t>(random.between(0, 2))] = true;
  return {make_partition(request), fields, stencil, request.boundaries};
}

TEST(NodeKinds, NodePartsOfOneKindSendAlike) {
  test::Seeded random(71);
  for (int i = 0; i < test::some_of(300); ++i) {
    const Geometry geometry = random_geometry(random, i % 2 == 1);
    const NodeKinds kinds(geometry);
    std::vector<std::int64_t> count(kinds.all().size());
    for (std::int64_t part = 0; part < geometry.partition.nodes(); ++part) {
      const std::size_t kind = kinds.of(geometry.partition, part);
      ASSERT_LT(kind, count.size());
      ++count[kind];
      ASSERT_EQ(doings(geometry, part), doings(geometry, kinds.all()[kind].node_part))
          << "case " << i << ", node part " << part;
    }
    for (std::size_t kind = 0; kind < count.size(); ++kind) {
      EXPECT_EQ(kinds.all()[kind].count, count[kind]);
      EXPECT_EQ(kinds.of(geometry.partition, kinds.all()[kind].node_part), kind);
    }
  }
}

TEST(NodeKinds, AreFewHoweverManyNodes) {
  for (const std::int64_t extent : {4000, 4001, 4096, 4999}) {
    for (const Boundary boundary : {Boundary::periodic, Boundary::open}) {
      const Request request{.extent = {extent, 8, 8},
                            .halo = Stencil::box(1),
                            .nodes = 331,
                            .devices_per_node = 6,
                            .method = Method::given,
                            .node_grid = Vec3{331, 1, 1},
                            .device_grid = Vec3{6, 1, 1},
                            .boundaries = {boundary, boundary, boundary}};
      const Geometry geometry{make_partition(request), {FieldDescriptor{}}, Stencil::box(1), request.boundaries};
      EXPECT_LE(NodeKinds(geometry).all().size(), 6u + 5u) << extent;
    }
  }
}

}  // namespace
}  // namespace halocline::partition

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "halocline/error.hpp"
#include "machine/machine_map.hpp"
#include "machine/paths.hpp"
#include "support/random_machine.hpp"

namespace halocline::machine {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A node with vertices of these kinds and no links. Device numbers follow the order of the device vertices.
NodeType node(const std::vector<VertexKind>& kinds) {
  NodeType type;
  for (const VertexKind kind : kinds) type.vertices.push_back({kind, "", 0, 0, -1});
  return type;
}

Path between(const NodeType& type, int from, int to) { return best_path(type, device_id(from), device_id(to)); }

constexpr auto device = VertexKind::device;
constexpr auto package = VertexKind::package;

TEST(Paths, BandwidthOfTheNarrowestLinkAndLatencyOfAll) {
  NodeType type = node({device, package, package, device});
  type.links = {
      {0, 1, LinkKind::nvlink, 50, 1}, {1, 2, LinkKind::inter_package, 40, 2}, {3, 2, LinkKind::nvlink, 60, 4}};
  EXPECT_EQ(between(type, 0, 1), (Path{40, 7}));
  EXPECT_EQ(between(type, 1, 0), (Path{40, 7}));
}

TEST(Paths, WiderWinsEvenWhereItIsLonger) {
  NodeType type = node({device, package, device});
  type.links = {{0, 2, LinkKind::pcie, 10, 1}, {0, 1, LinkKind::nvlink, 20, 5}, {1, 2, LinkKind::nvlink, 20, 5}};
  EXPECT_EQ(between(type, 0, 1), (Path{20, 10}));
}

TEST(Paths, TiesGoToTheLeastLatencyAlsoBehindAWiderPrefix) {
  // 0 -> 1 is wide but slow directly, narrower but fast over 2; the last link is narrow for both.
  NodeType type = node({device, package, package, device});
  type.links = {{0, 1, LinkKind::nvlink, 100, 10},
                {0, 2, LinkKind::nvlink, 50, 1},
                {2, 1, LinkKind::nvlink, 50, 1},
                {1, 3, LinkKind::pcie, 30, 1}};
  EXPECT_EQ(between(type, 0, 1), (Path{30, 3}));
}

TEST(Paths, NeverThroughDevicesOrNics) {
  NodeType type = node({device, device, device, VertexKind::nic});
  type.links = {{0, 1, LinkKind::nvlink, 10, 1},
                {1, 2, LinkKind::nvlink, 10, 1},
                {0, 3, LinkKind::pcie, 10, 1},
                {3, 2, LinkKind::pcie, 10, 1}};
  EXPECT_EQ(between(type, 0, 2), (Path{0, 0}));
  EXPECT_EQ(between(type, 0, 1), (Path{10, 1}));
}

TEST(Paths, OwnMemoryIsTheWidestMemoryLink) {
  NodeType type = node({device, VertexKind::numa, package});
  type.links = {{1, 2, LinkKind::memory, 100, 1}, {0, 2, LinkKind::pcie, 50, 1}};
  EXPECT_EQ(between(type, 0, 0), (Path{infinite, 0})) << "unknown: nothing to slow it down";
  type.links.push_back({1, 0, LinkKind::memory, 20, 3});
  EXPECT_EQ(between(type, 0, 0), (Path{20, 3}));
  type.links.push_back({0, 0, LinkKind::memory, 90, 2});
  EXPECT_EQ(between(type, 0, 0), (Path{90, 2}));
}

TEST(Paths, MeasuredCopiesCountInsteadInTheirDirection) {
  NodeType type = node({device, package, device});
  type.links = {{0, 1, LinkKind::pcie, 10, 1}, {1, 2, LinkKind::pcie, 10, 1}};
  type.measurements = {
      {0, 1, "ipc_copy", 99, 9}, {0, 1, "copy", 7, 3}, {1, 1, "copy", 5, 4}, {0, 1, "mpi_staged", 88, 8}};
  EXPECT_EQ(between(type, 0, 1), (Path{7, 3}));
  EXPECT_EQ(between(type, 1, 0), (Path{10, 2}));
  EXPECT_EQ(between(type, 1, 1), (Path{5, 4}));
  const std::vector<Path> expected{{infinite, 0}, {7, 3}, {10, 2}, {5, 4}};
  EXPECT_EQ(best_paths(type), expected);
}

TEST(Paths, DevicesThatAreNotThereAreRefused) {
  const NodeType type = node({device});
  EXPECT_THROW(between(type, 0, 1), InvalidArgument);
  EXPECT_THROW(between(type, -1, 0), InvalidArgument);
}

/// Enumerates every simple path: slow, but obviously correct.
void enumerate(const NodeType& type, int at, int target, Path so_far, std::vector<bool>& visited, Path& best) {
  if (at == target) {
    if (so_far.bandwidth > best.bandwidth || (so_far.bandwidth == best.bandwidth && so_far.latency < best.latency)) {
      best = so_far;
    }
    return;
  }
  visited[static_cast<std::size_t>(at)] = true;
  for (const Link& link : type.links) {
    if (link.a == link.b || (link.a != at && link.b != at)) continue;
    const int next = link.a == at ? link.b : link.a;
    const VertexKind kind = type.vertices[static_cast<std::size_t>(next)].kind;
    const bool is_end = kind == VertexKind::device || kind == VertexKind::nic;
    if (visited[static_cast<std::size_t>(next)] || (is_end && next != target)) continue;
    enumerate(type, next, target, {std::min(so_far.bandwidth, link.bandwidth), so_far.latency + link.latency}, visited,
              best);
  }
  visited[static_cast<std::size_t>(at)] = false;
}

TEST(Paths, AgreeWithTheEnumerationOfAllPathsOnRandomNodes) {
  int pairs = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    test::Random random(seed);
    NodeType type = test::random_type(random);
    type.measurements.clear();
    // Few distinct values make many ties.
    for (Link& link : type.links) {
      link.bandwidth = 1 + random.below(3);
      link.latency = 1 + random.below(4);
    }
    const std::vector<int> devices = type.device_vertices();
    const std::vector<Path> paths = best_paths(type);
    for (std::size_t from = 0; from < devices.size(); ++from) {
      for (std::size_t to = 0; to < devices.size(); ++to) {
        const Path found = paths[from * devices.size() + to];
        EXPECT_EQ(found, between(type, static_cast<int>(from), static_cast<int>(to)));
        if (from == to) continue;
        Path best{0, 0};
        std::vector<bool> visited(type.vertices.size(), false);
        enumerate(type, devices[from], devices[to], {infinite, 0}, visited, best);
        ASSERT_EQ(found, best) << "seed " << seed << ", device " << from << " to " << to;
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 500);
}

}  // namespace
}  // namespace halocline::machine

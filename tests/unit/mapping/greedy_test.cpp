// SPDX-License-Identifier: BSD-3-Clause
// MAGC's Algorithm 1 by the definitions of Mapper::greedy, compared with a second implementation that recomputes
// everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/at.hpp"
#include "machines.hpp"
#include "mapping/mapper.hpp"
#include "patterns.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;

std::int64_t volume(const CommunicationMatrix& c, int i, int j) { return c.bytes(i, j) + c.bytes(j, i); }

double delta(const CommunicationMatrix& c, int q, const std::vector<int>& place_of) {
  std::int64_t sums[2] = {0, 0};
  int counts[2] = {0, 0};
  for (int other = 0; other < c.ranks(); ++other) {
    if (other == q || volume(c, q, other) == 0) continue;
    const int mapped = place_of[at(other)] >= 0 ? 1 : 0;
    sums[mapped] += volume(c, q, other);
    ++counts[mapped];
  }
  const auto mean = [&](int m) { return counts[m] == 0 ? 0 : static_cast<double>(sums[m]) / counts[m]; };
  return mean(1) - mean(0);
}

/// The largest congestion among mapped processes.
double maximum(const CommunicationMatrix& c, const Topology& topology, const std::vector<int>& place_of) {
  std::vector<std::int64_t> loads(topology.channels().size(), 0);
  std::vector<int> scratch;
  for (int from = 0; from < c.ranks(); ++from) {
    for (const Flow& flow : c.row(from)) {
      if (place_of[at(from)] < 0 || place_of[at(flow.to)] < 0) continue;
      for (const int l : topology.route(place_of[at(from)], place_of[at(flow.to)], scratch)) loads[at(l)] += flow.bytes;
    }
  }
  double most = 0;
  for (std::size_t l = 0; l < loads.size(); ++l) {
    most = std::max(most, static_cast<double>(loads[l]) / topology.channels()[l].bandwidth);
  }
  return most;
}

std::vector<int> by_brute_force(const CommunicationMatrix& c, const Topology& topology, std::vector<int> room) {
  std::vector<int> place_of(at(c.ranks()), -1);
  for (int step = 0; step < c.ranks(); ++step) {
    int next = -1;
    for (int q = 0; q < c.ranks(); ++q) {
      if (place_of[at(q)] >= 0) continue;
      if (next < 0 || delta(c, q, place_of) > delta(c, next, place_of)) next = q;
    }
    int best = -1;
    double least = 0;
    for (int place = 0; place < topology.places(); ++place) {
      if (room[at(place)] == 0) continue;
      auto tried = place_of;
      tried[at(next)] = place;
      const double most = maximum(c, topology, tried);
      if (best < 0 || most < least) {
        best = place;
        least = most;
      }
    }
    place_of[at(next)] = best;
    --room[at(best)];
  }
  return place_of;
}

TEST(Greedy, is_what_a_plain_recomputation_finds) {
  const Topology cores = core_topology(dual_node(6, 0));
  const Topology gpus = device_topology(dual_node(6, 12));
  const Topology network = network_topology(cluster_a());
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 engine(seed);
    CommunicationMatrix matrix(12);
    for (int flow = 0; flow < 30; ++flow) {
      matrix.add(static_cast<int>(engine() % 12), static_cast<int>(engine() % 12),
                 static_cast<std::int64_t>(engine() % 4) * 1000);
    }
    for (const Topology* topology : {&cores, &gpus, &network}) {
      const std::vector<int> capacity(at(topology->places()), topology == &network ? 3 : 1);
      EXPECT_EQ(map_processes(Mapper::greedy, {&matrix, topology, capacity}),
                by_brute_force(matrix, *topology, capacity))
          << seed;
    }
  }
}

// No process is mapped: delta is minus the mean volume. Process 3, which sends nothing, has 0 and goes first, to place
// 0. Then 0 (mean 10 to unmapped ones) before 1 (mean 15) and 2 (mean 20); 1, whose neighbours are 0 and 2, follows
// with 10 - 20 against -20.
TEST(Greedy, takes_processes_by_delta_and_places_by_congestion) {
  const Topology gpus = device_topology(dual_node(4, 4));
  CommunicationMatrix matrix(4);
  matrix.add(0, 1, 10);
  matrix.add(1, 2, 20);
  // Process 3: place 0. Process 0: no traffic crosses a link yet, so the lowest, place 1. Process 1: every place sends
  // it over the packages, whose 12 GB/s are the narrowest link: place 2. Process 2: 20 bytes over its own link: place
  // 3.
  EXPECT_THAT(map_processes(Mapper::greedy, {&matrix, &gpus, {1, 1, 1, 1}}), ElementsAre(1, 2, 3, 0));
}

TEST(Greedy, takes_the_lowest_process_and_the_lowest_place_of_equals) {
  const Topology gpus = device_topology(dual_node(4, 4));
  CommunicationMatrix ring(4);
  for (int r = 0; r < 4; ++r) ring.add(r, (r + 1) % 4, 100);
  // All deltas are -100: process 0 to place 0. Then 1 and 3 have 0: process 1 to place 1. Then 2 and 3 have 0: 2, then
  // 3.
  EXPECT_THAT(map_processes(Mapper::greedy, {&ring, &gpus, {1, 1, 1, 1}}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(map_processes(Mapper::greedy, {&ring, &gpus, {0, 2, 0, 2}}), ElementsAre(1, 1, 3, 3));
}

}  // namespace
}  // namespace halocline::mapping

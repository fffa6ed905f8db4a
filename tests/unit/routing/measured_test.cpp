// SPDX-License-Identifier: BSD-3-Clause
#include "routing/measured.hpp"
#include "machine/synthetic.hpp"
#include "placement/placement.hpp"

#include <gtest/gtest.h>

namespace halocline::routing {
namespace {

using enum Transport;
using machine::Traffic;

machine::MachineMap two_nodes() {
  machine::MachineMap map = machine::synthetic({2, 2, 1});
  const auto both_ways = [&](int from, int to, const char* method, double rate) {
    map.types[0].measurements.push_back(
        {.from = from, .to = to, .method = method, .bandwidth = rate, .traffic = Traffic::two_way});
  };
  both_ways(0, 1, "copy", 2e9);
  both_ways(1, 0, "copy", 3e9);
  both_ways(0, 1, "put", 7e9);
  both_ways(1, 0, "put", 6e9);
  both_ways(0, 1, "mpi_staged", 1e9);
  both_ways(0, 1, "flag", 5e9);
  return map;
}

placement::Slot slot(std::int64_t node, std::int64_t device) {
  return {rank_id(2 * node + device), node_id(node), device_id(device), 0};
}

TEST(MeasuredPairs, HaveTheSlowerDirectionOfEachTransport) {
  const machine::MachineMap map = two_nodes();
  MeasuredPairs pairs(map);
  const MeasuredRates expected{{direct, 6e9}, {peer_copy, 2e9}, {ipc_copy, 2e9}};
  EXPECT_EQ(pairs.between(slot(0, 0), slot(0, 1)), expected) << "mpi_staged was measured one way only";
  EXPECT_EQ(pairs.between(slot(0, 1), slot(0, 0)), expected);
  EXPECT_EQ(pairs.between(slot(1, 0), slot(1, 1)), expected) << "another node of that type";
}

TEST(MeasuredPairs, AreOfOneNode) {
  const machine::MachineMap map = two_nodes();
  MeasuredPairs pairs(map);
  EXPECT_TRUE(pairs.between(slot(0, 0), slot(1, 1)).empty());
  EXPECT_TRUE(pairs.between(slot(0, 0), slot(0, 0)).empty()) << "nothing was measured of one device";
  const machine::MachineMap nothing = machine::synthetic({1, 2, 1});
  EXPECT_TRUE(MeasuredPairs(nothing).between(slot(0, 0), slot(0, 1)).empty());
}

}  // namespace
}  // namespace halocline::routing

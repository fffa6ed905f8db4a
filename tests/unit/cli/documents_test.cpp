// SPDX-License-Identifier: BSD-3-Clause
#include "documents.hpp"

#include <gtest/gtest.h>

namespace {

using namespace cli;
using namespace halocline;

TEST(Documents, PartitionHoldsGridsCutsAndBoxes) {
  const partition::Partition two_by_one{
      {10, 4, 2}, {2, 1, 1}, {1, 1, 1}, {{{0, 5, 10}, {0, 4}, {0, 2}}}, partition::Order::row_major};
  EXPECT_EQ(partition_json(two_by_one), io::parse_document(R"({
    "extent": [10, 4, 2], "node_grid": [2, 1, 1], "device_grid": [1, 1, 1], "order": "row_major",
    "cuts": {"x": [0, 5, 10], "y": [0, 4], "z": [0, 2]},
    "subdomains": [{"subdomain": 0, "node_part": 0, "lo": [0, 0, 0], "hi": [5, 4, 2]},
                   {"subdomain": 1, "node_part": 1, "lo": [5, 0, 0], "hi": [10, 4, 2]}]})"));
}

TEST(Documents, PlacementHoldsCostsAndSlots) {
  placement::Placement placement;
  placement.slots = {{rank_id(1), node_id(0), device_id(2), 0}};
  placement.trivial_cost = 9;
  placement.cost = 7;
  EXPECT_EQ(placement_json(placement), io::parse_document(R"({"trivial_cost": 9, "cost": 7,
                            "slots": [{"subdomain": 0, "rank": 1, "node": 0, "device": 2, "ordinal": 0}]})"));
}

}  // namespace

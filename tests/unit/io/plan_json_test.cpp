#include <gtest/gtest.h>

#include "halocline/io/json.hpp"

namespace halocline::io {
namespace {

partition::Partition two_by_one() {
  return {{10, 4, 2}, {2, 1, 1}, {1, 1, 1}, {{{0, 5, 10}, {0, 4}, {0, 2}}}, partition::Order::row_major};
}

TEST(PlanJson, PartitionSaysGridsCutsAndBoxes) {
  EXPECT_EQ(to_json(two_by_one()), R"({
  "extent": [10, 4, 2],
  "node_grid": [2, 1, 1],
  "device_grid": [1, 1, 1],
  "order": "row_major",
  "cuts": {"x": [0, 5, 10], "y": [0, 4], "z": [0, 2]},
  "subdomains": [
    {"subdomain": 0, "node_part": 0, "lo": [0, 0, 0], "hi": [5, 4, 2]},
    {"subdomain": 1, "node_part": 1, "lo": [5, 0, 0], "hi": [10, 4, 2]}
  ]
})");
}

TEST(PlanJson, PlacementSaysCostsAndSlots) {
  placement::Placement placement;
  placement.slots = {{rank_id(1), node_id(0), device_id(2), 0}};
  placement.trivial_cost = 9;
  placement.cost = 7;
  EXPECT_EQ(to_json(placement), R"({
  "trivial_cost": 9,
  "cost": 7,
  "slots": [
    {"subdomain": 0, "rank": 1, "node": 0, "device": 2, "ordinal": 0}
  ]
})");
}

TEST(PlanJson, RoutesSayWhy) {
  const std::vector<routing::Route> routes{
      {subdomain_id(0), subdomain_id(1), routing::Transport::ipc_copy, "ipc_copy: why"}};
  EXPECT_EQ(to_json(routes), R"([
  {"from": 0, "to": 1, "transport": "ipc_copy", "reason": "ipc_copy: why"}
])");
  EXPECT_EQ(to_json(std::span<const routing::Route>{}), "[]");
}

TEST(PlanJson, PartsMakeOneDocument) {
  JsonObject plan(plan_schema);
  plan.json("partition", to_json(two_by_one())).json("placement", to_json(placement::Placement{}));
  EXPECT_TRUE(
      plan.str().starts_with("{\n  \"schema\": \"halocline-plan/1\",\n  \"partition\": {\n    \"extent\": [10"));
}

}  // namespace
}  // namespace halocline::io

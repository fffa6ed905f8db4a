// SPDX-License-Identifier: BSD-3-Clause
// Conversion of boxes that ranks own into cuts and owners.
#include "plan/from_boxes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "support/effort.hpp"
#include "support/error_of.hpp"
#include "support/seeded.hpp"

namespace halocline {
namespace {

using Boxes = std::vector<std::vector<Box>>;  ///< by rank

/// A node whose ranks drive one device for each of their boxes.
machine::MachineMap machine_for(const Boxes& boxes) {
  std::int64_t devices = 0;
  std::vector<machine::RankEntry> ranks;
  for (const std::vector<Box>& of_rank : boxes) {
    auto& rank = ranks.emplace_back(machine::RankEntry{.node = node_id(0), .devices = {}});
    for (std::size_t i = 0; i < of_rank.size(); ++i) rank.devices.emplace_back(devices++);
  }
  auto machine = machine::synthetic({.nodes = 1, .devices_per_node = devices, .ranks_per_node = 1});
  machine.ranks = std::move(ranks);
  return machine;
}

std::string why_not(const Boxes& boxes) {
  return test::error_of<InvalidArgument>([&] { return from_boxes(boxes, machine_for(boxes)); });
}

/// A rectilinear grid, and its cells as boxes of ranks in random order, some of which have several.
struct GridCase {
  partition::Cuts cuts;
  Boxes boxes;
};

GridCase random_grid_case(test::Seeded& random) {
  GridCase made;
  Vec3 grid;
  for (int dim = 0; dim < 3; ++dim) {
    grid[dim] = random.between(1, 4);
    auto& cuts = made.cuts[static_cast<std::size_t>(dim)];
    cuts = {0};
    for (std::int64_t i = 0; i < grid[dim]; ++i) cuts.push_back(cuts.back() + random.between(1, 9));
  }
  std::vector<Box> cells;
  for_each_cell(Box::of_extent(grid), [&](const Vec3& p) {
    Box& box = cells.emplace_back();
    for (int dim = 0; dim < 3; ++dim) {
      const auto& cuts = made.cuts[static_cast<std::size_t>(dim)];
      box.lo[dim] = cuts[static_cast<std::size_t>(p[dim])];
      box.hi[dim] = cuts[static_cast<std::size_t>(p[dim]) + 1];
    }
  });
  for (std::size_t i = cells.size(); i > 1; --i) {
    std::swap(cells[i - 1], cells[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  for (const Box& box : cells) {
    if (made.boxes.empty() || random.chance(60)) made.boxes.emplace_back();
    made.boxes.back().push_back(box);
  }
  return made;
}

TEST(FromBoxes, finds_cuts_and_owners_of_random_grids) {
  for (int seed = 0; seed < test::some_of(300); ++seed) {
    SCOPED_TRACE(seed);
    test::Seeded random(static_cast<std::uint64_t>(seed));
    const auto [cuts, boxes] = random_grid_case(random);
    PlanRequest request;
    request.machine = machine_for(boxes);
    const GivenBoxes given = from_boxes(boxes, request.machine);
    ASSERT_EQ(given.cuts, cuts);
    ASSERT_EQ(given.extent, (Vec3{cuts[0].back(), cuts[1].back(), cuts[2].back()}));

    // Each box is the subdomain of its rank's device in the plan.
    request.extent = given.extent;
    request.cuts = given.cuts;
    request.placement.owners = given.owners;
    request.fields.emplace_back().name = "u";
    request.stencil = Stencil::box(1);
    const Plan plan = make_plan(request);
    for (std::size_t r = 0; r < boxes.size(); ++r) {
      const auto mine = plan.placement.of_rank(rank_id(static_cast<std::int64_t>(r)));
      ASSERT_EQ(mine.size(), boxes[r].size());
      for (std::size_t i = 0; i < mine.size(); ++i) {
        ASSERT_EQ(plan.geometry.partition.box_of(mine[i]), boxes[r][i]);
      }
    }
  }
}

// One cell more or less anywhere is an overlap, a hole, or a cut that does not go through.
TEST(FromBoxes, refuses_random_grids_with_a_wrong_box) {
  for (int seed = 0; seed < test::some_of(300); ++seed) {
    SCOPED_TRACE(seed);
    test::Seeded random(static_cast<std::uint64_t>(seed));
    GridCase made = random_grid_case(random);
    const Vec3 extent{made.cuts[0].back(), made.cuts[1].back(), made.cuts[2].back()};
    auto& of_rank = made.boxes[static_cast<std::size_t>(random.between(0, std::ssize(made.boxes) - 1))];
    Box& box = of_rank[static_cast<std::size_t>(random.between(0, std::ssize(of_rank) - 1))];
    const int dim = static_cast<int>(random.between(0, 2));
    if (box.extent()[dim] == extent[dim]) continue;
    const bool lower = box.hi[dim] == extent[dim];
    const bool more = random.chance(50);
    std::int64_t& side = lower ? box.lo[dim] : box.hi[dim];
    side += lower == more ? -1 : 1;
    const std::string text = why_not(made.boxes);
    if (more) {
      EXPECT_THAT(text, testing::HasSubstr(" overlap; allowed is one owner for each cell"));
    } else if (box.empty()) {
      EXPECT_THAT(text, testing::HasSubstr(" is empty; allowed are boxes of 1 cell or more"));
    } else {
      EXPECT_THAT(text, testing::HasSubstr(" is in no rank's box; allowed"));
    }
  }
}

TEST(FromBoxes, errors_name_boxes_and_ranks) {
  const Box low{{0, 0, 0}, {4, 4, 4}};
  const Box high{{4, 0, 0}, {8, 4, 4}};
  EXPECT_EQ(why_not({{low}, {high}}), "(no error)");
  EXPECT_EQ(why_not({{high}, {low.grown({}, {1, 0, 0})}}),
            "box [4, 8) x [0, 4) x [0, 4) of rank 0 and box [0, 5) x [0, 4) x [0, 4) of rank 1 overlap; allowed is one "
            "owner for each cell");
  EXPECT_EQ(why_not({{low}, {low}}),
            "box [0, 4) x [0, 4) x [0, 4) of rank 0 and box [0, 4) x [0, 4) x [0, 4) of rank 1 overlap; allowed is one "
            "owner for each cell");
  EXPECT_EQ(why_not({{low}, {high.shifted({3, 0, 0})}}),
            "cell 4, 0, 0 is in no rank's box; allowed are boxes that cover the domain of 11 x 4 x 4, which ends where "
            "the last of them do");
  EXPECT_EQ(why_not({{low}, {Box{{4, 0, 0}, {8, 4, 0}}}}),
            "box [4, 8) x [0, 4) x [0, 0) of rank 1 is empty; allowed are boxes of 1 cell or more");
  EXPECT_EQ(why_not({{low.shifted({0, 2, 0})}, {high.shifted({0, 2, 0})}}),
            "lowest position of all boxes in y is 2, of box [0, 4) x [2, 6) x [0, 4) of rank 0; allowed is 0");
  EXPECT_EQ(why_not({{low}, {high.shifted({0, 0, -1})}}),
            "lowest position of all boxes in z is -1, of box [4, 8) x [0, 4) x [-1, 3) of rank 1; allowed is 0");
  EXPECT_EQ(why_not({{Box{{0, 0, 0}, {8, 2, 4}}}, {Box{{0, 2, 0}, {4, 4, 4}}}, {Box{{4, 2, 0}, {8, 4, 4}}}}),
            "box [0, 8) x [0, 2) x [0, 4) of rank 0 reaches across x = 4, where box [4, 8) x [2, 4) x [0, 4) of rank 2 "
            "begins; allowed are cuts through the whole domain");
}

// As many boxes as the grid has cells, each of them a cell, but one of them twice.
TEST(FromBoxes, refuses_a_cell_of_the_grid_that_two_ranks_own) {
  const Box quarter = Box::of_extent({4, 4, 4});
  const Box second = quarter.shifted({4, 0, 0});
  EXPECT_THAT(why_not({{quarter}, {second}, {second.shifted({0, 4, 0})}, {second}}),
              testing::HasSubstr("of rank 1 and box [4, 8) x [0, 4) x [0, 4) of rank 3 overlap"));
}

TEST(FromBoxes, errors_name_ranks_with_another_number_of_devices) {
  const Box low{{0, 0, 0}, {4, 4, 4}};
  const auto machine = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  const Boxes boxes{{low}, {}};
  EXPECT_EQ(test::error_of<InvalidArgument>([&] { return from_boxes(boxes, machine); }),
            "number of boxes of rank 1 is 0; allowed is one for each device that it drives, 1 "
            "(DomainOptions::devices.per_rank)");
}

// Takes milliseconds: boxes are not compared pairwise.
TEST(FromBoxes, takes_a_grid_of_216000_boxes) {
  HALOCLINE_IS_LARGE();
  Boxes boxes;
  for_each_cell(Box::of_extent({60, 60, 60}), [&](const Vec3& p) {
    boxes.push_back({Box::of_extent(Vec3::filled(3)).shifted(p * Vec3::filled(3))});
  });
  const auto machine = machine::synthetic({.nodes = std::ssize(boxes), .devices_per_node = 1, .ranks_per_node = 1});
  EXPECT_EQ(from_boxes(boxes, machine).owners.size(), boxes.size());
}

TEST(GivenOwners, are_cut_as_for_one_node_and_explained) {
  PlanRequest request;
  request.machine = machine::synthetic({.nodes = 2, .devices_per_node = 2, .ranks_per_node = 2});
  request.extent = {9, 9, 9};
  request.stencil = Stencil::box(1);
  request.fields.emplace_back().name = "u";
  request.cuts = partition::Cuts{{{0, 2, 9}, {0, 3, 9}, {0, 9}}};
  for (const std::int64_t rank : {2, 0, 3, 1}) request.placement.owners.push_back({rank_id(rank), 0});
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.partition, partition::Method::given);
  EXPECT_EQ(plan.geometry.partition.box_of(subdomain_id(1)), (Box{{2, 0, 0}, {9, 3, 9}}));
  EXPECT_EQ(plan.owner(subdomain_id(1)), rank_id(0));
  EXPECT_EQ(plan.owner(subdomain_id(2)), rank_id(3));
  EXPECT_THAT(explain_partition(plan), testing::HasSubstr("by given: node grid 1 x 1 x 1, device grid 2 x 2 x 1"));
  EXPECT_THAT(explain_partition(plan), testing::HasSubstr("the given cuts\n"));
  EXPECT_THAT(explain_placement(plan), testing::HasSubstr("placement  with the given owners\n"));
  EXPECT_THAT(explain_placement(plan), testing::ContainsRegex("subdomain   2 .*node 1, rank 3"));
  // Thinner than the halo, which every plan refuses.
  request.stencil = Stencil::box(3);
  EXPECT_THAT(test::error_of<InvalidArgument>([&] { return make_plan(request); }),
              testing::HasSubstr("subdomain 0 of 2 in x is 2 cells thick; allowed is 3 or more"));
}

}  // namespace
}  // namespace halocline

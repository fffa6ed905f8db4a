// SPDX-License-Identifier: BSD-3-Clause
// Cells in proportion to the speeds of devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "halocline/error.hpp"
#include "machine/synthetic.hpp"
#include "plan/plan.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using test::error_of;
using testing::HasSubstr;

PlanRequest request_with(std::vector<double> speeds, std::int64_t nodes = 1, const Vec3& extent = {256, 256, 256}) {
  PlanRequest request;
  request.extent = extent;
  request.stencil = Stencil::box(1);
  request.fields.push_back({.name = "u"});
  const auto devices = std::ssize(speeds) / nodes;
  request.machine = machine::synthetic({.nodes = nodes, .devices_per_node = devices, .ranks_per_node = devices});
  request.speeds = std::move(speeds);
  request.speeds_from = "of a test";
  return request;
}

/// Cells of each device, by rank.
std::vector<std::int64_t> cells_of(const Plan& plan) {
  std::vector<std::int64_t> cells(plan.placement.slots.size());
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const subdomain_id id(static_cast<std::int64_t>(s));
    cells[plan.owner(id).index()] = plan.geometry.partition.box_of(id).volume();
  }
  return cells;
}

TEST(Balance, gives_a_slow_device_its_share_by_a_grid_that_can) {
  const Plan plan = make_plan(request_with({1, 1, 0.5, 1}));
  const std::int64_t ideal = 256 * 256 * 256 * 2 / 7;
  ASSERT_TRUE(plan.balance);
  EXPECT_DOUBLE_EQ(plan.balance->before, 1.75);  // a quarter of the cells at half speed
  EXPECT_LT(plan.balance->now, 1.02);
  const auto cells = cells_of(plan);
  EXPECT_NEAR(static_cast<double>(cells[2]), 0.5 * static_cast<double>(ideal), 0.03 * static_cast<double>(ideal));
  EXPECT_THAT(explain(plan, {}), HasSubstr("balance    speeds of a test; predicted time of the slowest device over an "
                                           "ideal split's: 1.012, 1.750 with equal cells\n"));
  EXPECT_THAT(explain(plan, {}), HasSubstr("speed 0.500 of the fastest, 2424832 cells (14.5 %)"));
}

TEST(Balance, keeps_the_grid_of_a_method_that_is_asked_for) {
  PlanRequest request = request_with({1, 1, 0.5, 1});
  request.partition = partition::Method::exact;
  const Plan exact = make_plan(request);
  EXPECT_EQ(exact.geometry.partition.grid(), (Vec3{1, 2, 2}));
  EXPECT_LT(exact.balance->now, exact.balance->before);
  EXPECT_GT(exact.balance->now, 1.2);  // planes through all of the domain
}

TEST(Balance, puts_equal_devices_into_one_slab) {
  // In the order of devices every slab would have one of each.
  PlanRequest request = request_with({3, 1, 1, 3});
  request.partition = partition::Method::exact;
  const Plan plan = make_plan(request);
  EXPECT_LT(plan.balance->now, 1.01);
  EXPECT_EQ(plan.geometry.partition.grid(), (Vec3{1, 2, 2}));
}

TEST(Balance, takes_the_grid_of_least_traffic_where_several_balance_alike) {
  // Slabs balance in any dimension; faces across y have half the cells of the others.
  const Plan plan = make_plan(request_with({1, 1, 2, 1}, 2, {64, 128, 64}));
  EXPECT_EQ(plan.geometry.partition.grid(), (Vec3{1, 4, 1}));
}

TEST(Balance, of_equal_speeds_is_the_plan_without_them) {
  PlanRequest request = request_with({2, 2, 2, 2});
  const Plan plan = make_plan(request);
  request.speeds.clear();
  const Plan without = make_plan(request);
  EXPECT_EQ(plan.geometry.partition, without.geometry.partition);
  EXPECT_EQ(plan.placement.slots, without.placement.slots);
  EXPECT_DOUBLE_EQ(plan.balance->now, 1);
}

TEST(Balance, is_within_five_percent_of_the_ideal_split_for_random_speeds) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    const auto devices = static_cast<std::size_t>(2 + random() % 7);
    const std::int64_t nodes = devices % 2 == 0 && random() % 2 == 0 ? 2 : 1;
    std::vector<double> speeds;
    for (std::size_t d = 0; d < devices; ++d) speeds.push_back(1 + static_cast<double>(random() % 1000) / 300);
    const Plan plan = make_plan(request_with(speeds, nodes, {512, 512, 512}));
    EXPECT_LE(plan.balance->now, 1.05) << "case " << i;
    EXPECT_LE(plan.balance->now, plan.balance->before) << "case " << i;
    const auto cells = cells_of(plan);
    for (std::size_t d = 0; d < devices; ++d) {
      double all = 0;
      for (const double speed : speeds) all += speed;
      EXPECT_LE(static_cast<double>(cells[d]), 1.05 * speeds[d] / all * 512 * 512 * 512) << "case " << i;
    }
  }
}

TEST(Balance, refuses_speeds_that_are_none) {
  const auto refused = [](std::vector<double> speeds) {
    PlanRequest request = request_with({1, 1});
    request.speeds = std::move(speeds);
    return error_of<InvalidArgument>([&] { static_cast<void>(make_plan(request)); });
  };
  EXPECT_EQ(refused({1}), "number of speeds is 1; allowed is one a device, 2, or none");
  EXPECT_EQ(refused({1, 0}), "speed of device 1 is 0; allowed are finite numbers above 0");
  EXPECT_EQ(refused({std::numeric_limits<double>::infinity(), 1}),
            "speed of device 0 is inf; allowed are finite numbers above 0");
  PlanRequest request = request_with({1, 1});
  request.weights = {1, 1};
  EXPECT_EQ(error_of<InvalidArgument>([&] { static_cast<void>(make_plan(request)); }),
            "speeds of devices are given beside weights; allowed is one of the two");
  request.weights.clear();
  request.cuts = partition::Cuts{{{0, 128, 256}, {0, 256}, {0, 256}}};
  EXPECT_EQ(error_of<InvalidArgument>([&] { static_cast<void>(make_plan(request)); }),
            "speeds of devices are given beside cuts; allowed is one of the two");
}

}  // namespace
}  // namespace halocline

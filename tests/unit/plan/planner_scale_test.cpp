// SPDX-License-Identifier: BSD-3-Clause
// The planner's design limits on one core, times a factor for slow machines. The essential check is how time grows: a
// step that is quadratic in ranks takes 16 times as long for 4 times the devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>

#include "machine/synthetic.hpp"
#include "plan/local_plan.hpp"
#include "plan/plan.hpp"
#include "support/effort.hpp"

namespace halocline {
namespace {

PlanRequest request_for(std::int64_t nodes) {
  PlanRequest request;
  request.extent = Vec3::filled(4096);
  request.stencil = Stencil::box(3);
  request.fields.resize(4);
  request.machine = machine::synthetic({.nodes = nodes, .devices_per_node = 6, .ranks_per_node = 6});
  return request;
}

/// CPU time, not wall-clock time: other work on the machine has little effect.
double seconds_of(auto&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// The minimum of several runs, as other work can only add time.
double least_seconds(int times, auto&& work) {
  double least = seconds_of(work);
  for (int i = 1; i < times; ++i) least = std::min(least, seconds_of(work));
  return least;
}

double plan_and_route(std::int64_t nodes, int times) {
  const PlanRequest request = request_for(nodes);
  return least_seconds(times, [&] {
    const Plan plan = make_plan(request);
    const auto routes = assumed_routes(plan, {}, false);
    EXPECT_EQ(std::ssize(routes), nodes * 6 * 26);
  });
}

/// Of this process so far; 0 if the system does not report it.
std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

TEST(PlannerScale, plans_1536_devices_in_a_second) {
  HALOCLINE_IS_LARGE();
  EXPECT_LT(plan_and_route(256, 2), 1 * test::planning_patience);
}

TEST(PlannerScale, plans_27648_devices_in_half_a_minute_and_2_GB) {
  HALOCLINE_IS_LARGE();
  EXPECT_LT(plan_and_route(4608, 1), 30 * test::planning_patience);
  EXPECT_LT(peak_bytes(), 2'000'000'000);
}

TEST(PlannerScale, plans_20160_devices_of_unequal_speed_in_ten_seconds) {
  HALOCLINE_IS_LARGE();
  PlanRequest request = request_for(2520);
  request.machine = machine::synthetic({.nodes = 2520, .devices_per_node = 8, .ranks_per_node = 8});
  request.speeds.assign(20'160, 1);
  request.speeds[3] = 0.99;
  EXPECT_LT(least_seconds(1, [&] { EXPECT_EQ(make_plan(request).geometry.partition.size(), 20'160); }),
            10 * test::planning_patience);
}

TEST(PlannerScale, lists_at_most_512_grids) {
  HALOCLINE_IS_LARGE();
  PlanRequest request = request_for(1);
  request.machine = machine::synthetic({.nodes = 55'440, .devices_per_node = 4, .ranks_per_node = 4});
  request.extent = Vec3::filled(50'000);
  const Candidates found = candidates(request);
  EXPECT_EQ(found.list.size(), 512U);
  EXPECT_TRUE(std::ranges::any_of(
      found.list, [](const Candidate& one) { return std::ranges::count(one.methods, partition::Method::exact) == 1; }));
}

TEST(PlannerScale, time_grows_as_the_machine) {
  HALOCLINE_IS_LARGE();
  // Other work may disturb one of two times, but hardly five times in a row.
  double growth = 100;
  for (int i = 0; i < 5 && growth > 6; ++i)
    growth = std::min(growth, plan_and_route(4608, 1) / plan_and_route(1152, 1));
  EXPECT_LT(growth, 6) << "times the seconds for 4 times the devices";
}

TEST(PlannerScale, a_ranks_part_does_not_wait_for_the_whole) {
  HALOCLINE_IS_LARGE();
  const PlanRequest request = request_for(4608);
  const double part =
      least_seconds(3, [&] { EXPECT_EQ(make_local_plan(request, rank_id(20'000), {}, false).outgoing.size(), 26u); });
  EXPECT_LT(part, plan_and_route(4608, 2) / 3 + 0.05) << part << " s for one rank";
}

}  // namespace
}  // namespace halocline

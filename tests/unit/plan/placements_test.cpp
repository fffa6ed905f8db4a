// SPDX-License-Identifier: BSD-3-Clause
// Which placements of a node's devices a search keeps.
#include <gtest/gtest.h>

#include <numeric>

#include "machine/synthetic.hpp"
#include "plan/detail/placements.hpp"
#include "plan/plan.hpp"

namespace halocline {
namespace {

TEST(Placements, of_those_that_only_exchange_equal_devices_one_is_kept) {
  PlanRequest request;
  request.extent = {64, 64, 64};
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u"}};
  request.machine = machine::synthetic({.nodes = 1, .devices_per_node = 4, .ranks_per_node = 4});
  const Plan plan = make_plan(request);
  Judge judge(plan.machine, {}, false);
  const Messages messages(plan.geometry);
  std::int64_t effort = 0;  // all are tried
  const auto found = Placements({.nodes = 1, .devices = 4})
                         .best(judge, messages, {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 2, 3}}, 24, effort);
  EXPECT_EQ(found.size(), 1U) << "each device has the same links to all others";
}

TEST(Placements, descents_end_with_their_effort) {
  PlanRequest request;
  request.extent = {64, 64, 64};
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u"}};
  request.machine = machine::synthetic({.nodes = 1, .devices_per_node = 16, .ranks_per_node = 16});
  const Plan plan = make_plan(request);
  Judge judge(plan.machine, {}, false);
  const Messages messages(plan.geometry);
  std::vector<int> start(16);
  std::iota(start.begin(), start.end(), 0);
  const std::int64_t of_one = std::ssize(messages.list);
  std::int64_t effort = 10 * of_one + 1;
  EXPECT_FALSE(Placements({.nodes = 1, .devices = 16}).best(judge, messages, {start, start}, 24, effort).empty());
  EXPECT_EQ(effort, 1);
  effort = 1'000'000 * of_one;
  static_cast<void>(Placements({.nodes = 1, .devices = 16}).best(judge, messages, {start, start}, 24, effort));
  EXPECT_EQ(effort % of_one, 0);
  EXPECT_GT(effort, 900'000 * of_one) << "nothing helps, as all devices are alike";
}

}  // namespace
}  // namespace halocline

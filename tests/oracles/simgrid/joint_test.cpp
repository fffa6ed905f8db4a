// SPDX-License-Identifier: BSD-3-Clause
// Plans by simulated time, with the times of SimGrid.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/simulation/message_flows.hpp"
#include "oracles/simgrid/simgrid.hpp"
#include "support/effort.hpp"
#include "support/unequal_case.hpp"

namespace halocline::model::simulation {
namespace {

double seconds_by_simgrid(const Plan& plan) {
  std::vector<routing::Route> routes;
  for (const RoutedMessage& message : assumed_routes(plan, {}, false)) routes.push_back(message.route);
  const machine::Interconnect interconnect(plan.machine);
  MessageFlows messages(plan.geometry, plan.machine, interconnect, plan.placement, routes);
  add_all(messages, plan.geometry, routes);
  const LinkProblem problem = link_problem(interconnect, messages.resources(), messages.flows);
  return std::ranges::max(ends_by_simgrid(problem.bandwidths, problem.flows));
}

TEST(SimGrid, PlansByTimeAreNearItsOptimumToo) {
  int tried = 0;
  for (std::uint64_t seed = 1; tried < test::some_of(12); ++seed) {
    PlanRequest request = test::unequal_case(seed);
    if (request.machine.device_count() > 4) continue;  // each simulation is a process
    ++tried;
    request.partition = partition::Method::fastest;
    request.placement.method = placement::Method::fastest;
    const Plan found = make_plan(request);
    const double seconds = seconds_by_simgrid(found);
    EXPECT_NEAR(seconds, test::simulated_seconds(found), 1e-6 * seconds) << "seed " << seed;
    double optimum = std::numeric_limits<double>::max();
    test::for_each_plan(request, [&](const Plan& plan) { optimum = std::min(optimum, seconds_by_simgrid(plan)); });
    EXPECT_LE(seconds, 1.02 * optimum) << "seed " << seed;
  }
}

}  // namespace
}  // namespace halocline::model::simulation

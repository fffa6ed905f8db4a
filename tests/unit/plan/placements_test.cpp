// SPDX-License-Identifier: BSD-3-Clause
// Which placements of a node's devices a search keeps.
#include <gtest/gtest.h>

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
  const auto found =
      Placements({.nodes = 1, .devices = 4}).best(judge, messages, {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 2, 3}}, 24);
  EXPECT_EQ(found.size(), 1U) << "each device has the same links to all others";
}

}  // namespace
}  // namespace halocline

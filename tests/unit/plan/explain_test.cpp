// SPDX-License-Identifier: BSD-3-Clause
// What users read about a plan, line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/synthetic.hpp"
#include "plan/plan.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;
using testing::Not;

PlanRequest explained_request() {
  PlanRequest request;
  request.extent = {64, 64, 64};
  request.stencil = Stencil::box(1);
  request.fields = {{.name = "u", .element = Element::f64}};
  request.machine = machine::synthetic({.nodes = 1, .devices_per_node = 2, .ranks_per_node = 2});
  return request;
}

TEST(Explain, fields_are_described_by_all_that_is_not_the_default) {
  PlanRequest request = explained_request();
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr("           field 'u': f64\n"));
  request.fields = {{.name = "v", .element = Element::f64, .components = 3, .buffers = 2},
                    {.name = "w", .element = Element::f64, .stencil = Stencil::star(1)},
                    {.name = "n", .element = Element::f64, .wire = Element::f32},
                    {.name = "apart", .element = Element::f64, .x_halos_apart = true},
                    {.name = "lattice",
                     .element = Element::f64,
                     .components = 2,
                     .component_directions = {Directions(1), Directions(2)}}};
  const std::string text = explain_partition(make_plan(request));
  EXPECT_THAT(text, HasSubstr("field 'v': f64 x 3 components, 2 buffers\n"));
  EXPECT_THAT(text, HasSubstr("field 'w': f64, radius " + to_string(Stencil::star(1)) + "\n"));
  EXPECT_THAT(text, HasSubstr("field 'n': f64, sent as f32\n"));
  EXPECT_THAT(text, HasSubstr("field 'apart': f64, halos in x apart\n"));
  EXPECT_THAT(text, HasSubstr("field 'lattice': f64 x 2 components by direction\n"));
}

TEST(Explain, subdomains_have_one_extent_or_the_least_and_the_largest) {
  PlanRequest request = explained_request();
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr(", 2 subdomains of 64 x 64 x 32\n"));
  request.extent.z = 65;
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr(", 2 subdomains of 64 x 64 x 32 to 33\n"));
}

TEST(Explain, boundaries_are_named_by_their_dimensions) {
  PlanRequest request = explained_request();
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr(", periodic\n"));
  request.boundaries = {Boundary::periodic_in_kernel, Boundary::open, Boundary::open};
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr(", open in yz; kernels wrap in x, which has no halo\n"));
  request.steps_per_exchange = 2;
  EXPECT_THAT(explain_partition(make_plan(request)), HasSubstr("steps per exchange 2: halos of "));
}

TEST(Explain, a_machine_without_a_name_is_unnamed) {
  machine::MachineMap map = machine::synthetic({.nodes = 1, .devices_per_node = 1, .ranks_per_node = 1});
  map.name.clear();
  EXPECT_THAT(explain_machine(map), testing::StartsWith("machine    unnamed: 1 node, 1 device, 1 rank\n"));
}

TEST(Explain, messages_that_travel_together_are_counted_once) {
  const routing::Route route{subdomain_id(0), subdomain_id(1), routing::Transport::mpi_staged, "why"};
  const std::vector<RoutedMessage> routes{{route, 1'000'000, 1}, {route, 12'345, 0}, {route, 999, 6}};
  const std::string text = explain_routes(routes);
  EXPECT_THAT(text, testing::StartsWith("routes     7 messages of 3 pairs\n"));
  EXPECT_THAT(text, HasSubstr("    1.00 MB  why\n"));
  EXPECT_THAT(text, HasSubstr("    12.3 KB  in the message of another pair; why\n"));
  EXPECT_THAT(text, HasSubstr("      999 B  6 messages; why\n"));
  EXPECT_THAT(text, Not(HasSubstr("more\n")));
  EXPECT_THAT(explain_routes(routes, 1), HasSubstr("           ... and 2 more\n"));
}

/// explain() prints why subdomains were moved or not, with the times that decided it.
TEST(Explain, placements_tell_by_what_times_they_were_chosen) {
  Plan plan = make_plan(explained_request());
  plan.placement_method = placement::Method::fastest;
  plan.partition = partition::Method::exact;
  plan.judged = Judged{.time = 5'000'000, .by_assignment = 12'300'000, .in_order = 123'400'000};
  EXPECT_THAT(explain_placement(plan),
              testing::StartsWith("placement  by fastest: simulated 5.00 us an exchange; QAP 12.3 us; order of devices "
                                  "123 us\n"));
  plan.partition = partition::Method::fastest;
  plan.placement_method = placement::Method::exact;
  EXPECT_THAT(
      explain_placement(plan),
      testing::StartsWith("placement  by exact: simulated 5.00 us an exchange; exact plus exact 12.3 us; exact in "
                          "the order of devices 123 us\n"));
  plan.judged.reset();
  plan.moves = Moves{.why_not = "", .simulated = false, .before = 2'000'000, .now = 1'000'000};
  EXPECT_THAT(explain_placement(plan),
              testing::StartsWith("placement  by system: busiest link or slowest message 1.00 us an exchange; without "
                                  "moves between nodes 2.00 us\n"));
  plan.moves = Moves{.why_not = "no move takes less", .simulated = true, .before = 2'000'000, .now = 0};
  EXPECT_THAT(explain_placement(plan),
              HasSubstr("; subdomains keep their nodes: no move takes less than simulated 2.00 us\n"));
  plan.placement.given = true;
  plan.moves->before.reset();
  EXPECT_THAT(
      explain_placement(plan),
      testing::StartsWith("placement  with the given owners; subdomains keep their nodes: no move takes less\n"));
}

}  // namespace
}  // namespace halocline

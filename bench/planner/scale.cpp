// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <optional>

#include "machine/synthetic.hpp"
#include "placement/placement.hpp"
#include "plan/local_plan.hpp"
#include "planner/planner.hpp"
#include "support/cost.hpp"

namespace halocline::bench {
void scale_table(const std::vector<std::int64_t>& nodes) {
  fmt::print("4096^3 cells, radius 3, 4 fp32 fields, nodes of 6 devices and 6 ranks; processor seconds\n");
  fmt::print("{:>8} {:>9} {:>11} {:>10} {:>8} {:>8} {:>10} {:>9}\n", "devices", "machine", "partition", "placement",
             "routes", "all", "messages", "peak MB");
  for (const std::int64_t count : nodes) {
    PlanRequest request;
    request.extent = Vec3::filled(4096);
    request.stencil = Stencil::box(3);
    request.fields.resize(4);
    const double machine = processor_seconds(
        [&] { request.machine = machine::synthetic({.nodes = count, .devices_per_node = 6, .ranks_per_node = 6}); });
    std::optional<Plan> plan;
    std::size_t messages = 0;
    const double planned = processor_seconds([&] { plan = make_plan(request); });
    const double cut = processor_seconds([&] {
      static_cast<void>(partition::make_partition(
          {.extent = request.extent, .halo = request.stencil, .nodes = count, .devices_per_node = 6}));
    });
    const double placed = processor_seconds(
        [&] { static_cast<void>(placement::make_placement(plan->geometry, plan->machine, request.placement)); });
    const double routed = processor_seconds([&] { messages = assumed_routes(*plan, {}, false).size(); });
    const double peak = peak_megabytes();
    fmt::print("{:>8} {:>9.4f} {:>11.4f} {:>10.4f} {:>8.4f} {:>8.4f} {:>10} {:>9.0f}\n", count * 6, machine, cut,
               placed, routed, planned + routed, messages, peak);
    plan.reset();
    const double part =
        processor_seconds([&] { static_cast<void>(make_local_plan(request, rank_id(count * 3), {}, false)); });
    fmt::print("{:>8} one rank's own part: {:.4f}\n", "", part);
  }
}

}  // namespace halocline::bench

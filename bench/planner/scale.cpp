#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "halocline/domain/local_plan.hpp"
#include "halocline/placement/placement.hpp"
#include "planner/planner.hpp"

namespace halocline::bench {
namespace {

/// Of the processor: what else runs on the machine counts little.
double seconds_of(auto&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// The most memory that this process has had so far, in MB; 0 where the system does not say.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024 / 1e6;
  }
  return 0;
}

}  // namespace

void scale_table(const std::vector<std::int64_t>& nodes) {
  fmt::print("4096^3 cells, radius 3, 4 fp32 fields, nodes of 6 devices and 6 ranks; processor seconds\n");
  fmt::print("{:>8} {:>9} {:>11} {:>10} {:>8} {:>8} {:>10} {:>9}\n", "devices", "machine", "partition", "placement",
             "routes", "all", "messages", "peak MB");
  for (const std::int64_t count : nodes) {
    PlanRequest request;
    request.extent = Vec3::filled(4096);
    request.radius = Radius::uniform(3);
    request.fields.resize(4);
    const double machine = seconds_of(
        [&] { request.machine = machine::synthetic({.nodes = count, .devices_per_node = 6, .ranks_per_node = 6}); });
    std::optional<Plan> plan;
    std::size_t messages = 0;
    const double planned = seconds_of([&] { plan = make_plan(request); });
    const double cut = seconds_of([&] {
      static_cast<void>(partition::make_partition(
          {.extent = request.extent, .radius = request.radius, .nodes = count, .devices_per_node = 6}));
    });
    const double placed = seconds_of(
        [&] { static_cast<void>(placement::make_placement(plan->geometry, plan->machine, request.placement)); });
    const double routed = seconds_of([&] { messages = assumed_routes(*plan, {}, false).size(); });
    const double peak = peak_megabytes();
    fmt::print("{:>8} {:>9.4f} {:>11.4f} {:>10.4f} {:>8.4f} {:>8.4f} {:>10} {:>9.0f}\n", count * 6, machine, cut,
               placed, routed, planned + routed, messages, peak);
    plan.reset();
    const double part = seconds_of([&] { static_cast<void>(make_local_plan(request, rank_id(count * 3), {}, false)); });
    fmt::print("{:>8} one rank's own part: {:.4f}\n", "", part);
  }
}

}  // namespace halocline::bench

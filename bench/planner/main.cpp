// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "halocline/error.hpp"
#include "planner/planner.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("what planning costs, and how good its answers are", "bench_planner");
  std::vector<std::int64_t> nodes{64, 256, 1152, 4608};
  std::vector<std::int64_t> radii{1, 3};
  int problems = 200;
  auto* scale = app.add_subcommand("scale", "seconds and memory of the stages");
  scale->add_option("--nodes", nodes, "of 6 devices; several (default 64,256,1152,4608)")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000));
  auto* quality = app.add_subcommand("quality", "placements beside the optimum, and beside a lower bound");
  quality->add_option("--problems", problems, "random ones (default 200)")->check(CLI::Range(2, 100'000));
  auto* order = app.add_subcommand("order", "bytes between nodes: row-wise, along the Z-order curve, by Scotch");
  order->add_option("--radius", radii, "several (default 1,3)")->delimiter(',')->check(CLI::Range(1, 16));
  app.require_subcommand(1);
  return bench::run_program(argc, argv, app, [&](halocline::comm::RankGroup& world, const halocline::Environment&) {
    if (world.size() != 1) {
      throw halocline::InvalidArgument(fmt::format("bench_planner has {} ranks; allowed is 1", world.size()));
    }
    if (*scale) bench::scale_table(nodes);
    if (*quality) {
      bench::quality_table(problems);
      fmt::print("\n");
      bench::summit_table({256, 4608});
    }
    if (*order) bench::order_table(radii);
    return 0;
  });
}

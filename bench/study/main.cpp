// SPDX-License-Identifier: BSD-3-Clause
// bench_study specialisation|placement|weak|strong [options]: exchanges alone, timed as the first paper times them, one
// row a round in OUT/<study>.csv. The launch decides the ranks: mpirun -n 4 bench_study specialisation
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "study/study.hpp"
#include "support/program.hpp"

namespace halocline::bench {
namespace {

using Study = std::int64_t (*)(const StudyContext&);

void add_options(CLI::App& command, StudyOptions& options) {
  command.add_option("--out", options.out, "folder of the CSV file (default: here)");
  command.add_option("--devices-per-rank", options.devices_per_rank, "devices that each rank drives")
      ->check(CLI::Range(1, 64));
  command.add_option("--ranks-per-node", options.ranks_per_node, "virtual nodes of so many ranks")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--block", options.blocks, "cells a GPU, cubed; several: 512,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 16));
  command.add_option("--size", options.sizes, "a whole domain, 1440x1452x700; several")->delimiter(',');
  command.add_option("--grid", options.grid, "devices of a node in x, y, z: 1x2x2");
  command.add_option("--edge", options.edge, "weak: of the cube a GPU (default 750); strong: of the cube")
      ->check(CLI::Range(1, 1 << 16));
  command.add_option("--radius", options.radius)->check(CLI::Range(1, 64));
  command.add_option("--fields", options.fields)->check(CLI::Range(1, 64));
  command.add_option("--element", options.element, "f32, f64, ... (default f32)");
  command.add_option("--base", options.base, "staged, ca (MPI on device pointers), both, or auto (default)")
      ->check(CLI::IsMember({"staged", "ca", "both", "auto"}));
  command.add_option("--config", options.configs, "+remote, +colo, +peer, +self, +direct; several")->delimiter(',');
  command.add_option("--seeds", options.seeds, "placement: random ones to choose the worst from (default 64)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--rounds", options.budget.rounds, "turns of each way (default 5)")->check(CLI::Range(1, 1000));
  command.add_option("--samples", options.budget.samples, "exchanges timed alone in a round, at most (default 30)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--steady", options.budget.steady, "exchanges back to back in a round, at most (default 1000)")
      ->check(CLI::Range(0, 1'000'000));
  command.add_option("--seconds", options.budget.seconds, "of each of the two in a round (default 0.1)")
      ->check(CLI::Range(0.0, 3600.0));
  command.add_flag("--allow-fallback", options.allow_fallback, "routes other than asked for are no failure");
}

int run(comm::RankGroup& world, const Environment& environment, const StudyOptions& options, Study study) {
  const StudyContext context{world, environment, options, find_launch(world, environment, options)};
  const std::int64_t others = study(context);
  if (others == 0) return 0;
  if (world.rank().value() == 0) {
    fmt::print(stderr, "{} messages took another route than was asked for{}\n", others,
               options.allow_fallback ? "" : "; --allow-fallback makes that no failure");
  }
  return options.allow_fallback ? 0 : 1;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("exchanges timed as the first paper times them", "bench_study");
  app.require_subcommand(1);
  bench::StudyOptions options;
  bench::Study chosen = nullptr;
  const auto add = [&](const char* name, const char* what, bench::Study study) {
    auto* command = app.add_subcommand(name, what);
    bench::add_options(*command, options);
    command->callback([&chosen, study] { chosen = study; });
  };
  add("specialisation", "what each capability gains, the same block on every GPU", bench::specialisation_study);
  add("placement", "one partition, placed well and badly", bench::placement_study);
  add("weak", "cells a GPU stay the same; one launch is one point", bench::weak_study);
  add("strong", "cells in all stay the same; one launch is one point", bench::strong_study);
  return bench::run_program(argc, argv, app,
                            [&](halocline::comm::RankGroup& world, const halocline::Environment& environment) {
                              return bench::run(world, environment, options, chosen);
                            });
}

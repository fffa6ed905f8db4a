// SPDX-License-Identifier: BSD-3-Clause
// Seeded healthy domains, of which none may have a warning of a slow path; or, with --cost, what the watch costs.
#include <CLI/CLI.hpp>
#include <cstdlib>

#include "slow_paths/slow_paths.hpp"
#include "support/program.hpp"

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("false alarms of slow paths, and the cost of the watch", "bench_slow_paths");
  bench::HealthyRuns healthy;
  bench::Cost cost;
  std::string backend = "auto";
  int devices = 0;
  app.add_option("--runs", healthy.runs, "domains (default 1000)")->check(CLI::Range(1, 1'000'000));
  app.add_option("--first", healthy.first, "number of the first one (default 0)")->check(CLI::NonNegativeNumber);
  app.add_option("--seed", healthy.seed, "(default 1)");
  app.add_option("--most-edge", healthy.most_edge, "cells in each dimension, at most (default 256)")
      ->check(CLI::Range(24, 1024));
  app.add_option("--backend", backend, "host, cuda, or auto (default)");
  app.add_option("--devices-per-rank", devices,
                 "devices of a rank, at most (default: 2 host devices, its share of GPUs)")
      ->check(CLI::Range(1, 64));
  app.add_option("--slow-copies", healthy.slow_copies, "plant a slow path: milliseconds of each copy of host devices")
      ->check(CLI::Range(0, 10'000));
  app.add_flag("--all", healthy.all, "print runs without a warning, too");
  std::string machine;
  app.add_option("--machine", machine,
                 "a map of these ranks, as 'halocline machine --json' writes it; all its devices are used");
  bool only_cost = false;
  app.add_flag("--cost", only_cost, "time exchanges without and with the watch instead");
  app.add_option("--size", cost.edge, "with --cost: cells of the cube's edge (default 64)")->check(CLI::Range(8, 1024));
  app.add_option("--fields", cost.fields, "with --cost: of f32 (default 4)")->check(CLI::Range(1, 64));
  app.add_option("--rounds", cost.rounds, "with --cost (default 60)")->check(CLI::Range(1, 10'000));
  // Shares of the limit are logged at debug, which is read when the first message is.
  ::setenv("HALOCLINE_LOG", "debug", 0);
  return bench::run_program(argc, argv, app,
                            [&](halocline::comm::RankGroup& world, const halocline::Environment& environment) {
                              auto options = halocline::DomainOptions::from(environment);
                              if (const auto kind = halocline::device_kind_of(backend)) options.devices.kind = kind;
                              if (healthy.slow_copies > 0) options.devices.kind = halocline::DeviceKind::host;
                              if (devices > 0) options.devices.per_rank = devices;
                              if (!machine.empty()) options.machine.map = halocline::Machine::read(machine);
                              if (only_cost) return bench::run_cost(world, options, cost);
                              if (devices == 0 && options.devices.kind == halocline::DeviceKind::host)
                                options.devices.per_rank = 2;
                              return bench::run_healthy(world, options, healthy);
                            });
}

// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <deque>

#include "baselines/runner.hpp"
#include "comm/agree.hpp"
#include "support/program.hpp"
#include "support/results.hpp"

namespace halocline::bench {
namespace {

struct Options {
  std::string out = ".";
  std::vector<std::int64_t> blocks{512, 256, 128, 64};
  std::vector<std::string> grids;
  std::vector<std::string> configs;  ///< empty: all
  std::string suffix;                ///< of the configs' names in the results
  std::int64_t radius = 3;
  int fields = 4;
  Budget budget{.rounds = 3, .samples = 30, .steady = 1000, .seconds = 0.1, .warm_up = 2};
};

/// Makes this rank's GPU the current one: the n-th of its node for the n-th rank.
void take_device(comm::RankGroup& world) {
  const auto node = world.split_by_node({});
  const int here = static_cast<int>(node->rank().value());
  const int ranks = node->size();
  node->close();
  comm::agree_on(world, [&] {
    if (ranks > gpu_count()) {
      throw InvalidArgument(fmt::format(
          "{} ranks are on a node; allowed is one for each of the {} GPUs that a rank sees", ranks, gpu_count()));
    }
    use_device(here);
  });
}

std::vector<Method> chosen(const std::vector<Method>& methods, const std::vector<std::string>& names) {
  std::vector<Method> wanted;
  std::string allowed;
  for (const Method& method : methods) {
    allowed += (allowed.empty() ? "" : ", ") + method.config;
    if (names.empty() || std::find(names.begin(), names.end(), method.config) != names.end()) wanted.push_back(method);
  }
  for (const auto& name : names) {
    if (std::none_of(methods.begin(), methods.end(), [&](const Method& one) { return one.config == name; })) {
      throw InvalidArgument(fmt::format("--config is '{}'; allowed are {}", name, allowed));
    }
  }
  return wanted;
}

std::vector<Vec3> grids_of(const Options& options, int ranks) {
  std::vector<Vec3> grids;
  for (const auto& text : options.grids) {
    grids.push_back(extent_from("--grid", text));
    if (grids.back().volume() != ranks) {
      throw InvalidArgument(fmt::format("--grid is {}, which is {} blocks; allowed is a grid of the {} ranks", text,
                                        grids.back().volume(), ranks));
    }
  }
  if (grids.empty()) grids.push_back({1, 1, ranks});
  return grids;
}

std::string device_name() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return std::string("cuda (") + properties.name + ")";
}

/// One method at one size, one by one or in graphs.
struct Running {
  const Method* method;
  Turn* turn;
  Runner runner;
  TransferTimes transfer;

  [[nodiscard]] std::string config(const Options& options) const {
    return method->config + options.suffix + (runner.in_graphs() ? " graph" : "");
  }
};

void verify(comm::RankGroup& world, Running& running, const std::string& config, std::uint32_t round) {
  for (const int times : {1, exchanges_a_graph}) {
    const std::int64_t wrong = running.runner.wrong_after(world, times, round + static_cast<std::uint32_t>(times));
    if (wrong > 0) {
      throw InternalError(fmt::format("{}: {} cells are wrong after {} exchanges", config, wrong, times));
    }
  }
}

bool fit_to_report(const Running& running, std::int64_t bytes_out) {
  const Way& way = *running.turn->way;
  return !way.has_transfer() || !way.moves_messages() || reaches_half_of_ceiling(running.transfer, bytes_out);
}

std::string note_of(const Running& running, std::int64_t bytes_out) {
  if (!running.turn->way->has_transfer()) return "every cell verified";
  const double rate = static_cast<double>(bytes_out) * 1e-9;
  return fmt::format("every cell verified; transfer alone {:.1f} us ({:.0f} GB/s), plain {:.1f} us ({:.0f} GB/s)",
                     running.transfer.way * 1e6, rate / running.transfer.way, running.transfer.plain * 1e6,
                     rate / running.transfer.plain);
}

Case case_of(const Workload& workload, const Options& options) {
  Case what;
  what.study = "baseline";
  what.size = std::to_string(workload.cells.x);
  what.kind = "block";
  what.device = device_name();
  what.shape.ranks_per_node = what.shape.gpus_per_node = workload.grid.volume();
  what.extent = workload.grid * workload.cells;
  what.grid = workload.grid;
  what.radius = options.radius;
  what.fields = options.fields;
  return what;
}

/// Returns how many ways were not reported.
int run_case(comm::RankGroup& world, const Options& options, const Library& library, const std::vector<Method>& methods,
             const Workload& workload) {
  const Block block(workload, world.rank().value(), library.allocate);
  std::deque<Turn> turns;
  std::deque<Running> all;
  std::vector<Contender> contenders;
  for (const Method& method : methods) {
    Turn& turn = turns.emplace_back();
    turn.way = method.make(world, block);
    const TransferTimes transfer = turn.way->has_transfer() ? time_transfer(world, turn) : TransferTimes{};
    for (const bool in_graphs : {false, true}) {
      if (in_graphs && !turn.way->capturable()) continue;
      Running& one = all.emplace_back(&method, &turn, Runner(turn, in_graphs), transfer);
      one.runner.tune(world);
      verify(world, one, one.config(options), 0);
      contenders.push_back({one.config(options), [&one] { one.runner.run(1); }, [&one] { one.runner.synchronize(); },
                            [&one](int times) { one.runner.run(times); }, exchanges_a_graph});
    }
  }
  const auto timings = take_turns(world, contenders, options.budget);

  int refused = 0;
  std::vector<Entry> entries;
  const std::int64_t bytes_out = block.plan().bytes_out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Running& one = all[i];
    verify(world, one, one.config(options), 100);
    if (!fit_to_report(one, bytes_out)) {
      ++refused;
      if (world.rank().value() == 0) {
        fmt::print("{}, {}, grid {}: below half of its own ceiling: not reported ({})\n", one.config(options),
                   to_string(workload.cells), to_string(workload.grid), note_of(one, bytes_out));
      }
      continue;
    }
    Entry entry;
    entry.config = one.config(options);
    entry.cuda_aware = one.method->cuda_aware;
    entry.bytes_out = bytes_out;
    entry.messages = std::ssize(block.plan().messages) * world.size();
    entry.rounds = timings[i];
    entry.routes = one.runner.text();
    entry.note = note_of(one, bytes_out);
    entries.push_back(entry);
  }
  report(world, options.out, case_of(workload, options), entries);
  return refused;
}

}  // namespace

int run_baselines(int argc, char** argv, const Library& library) {
  CLI::App app("halos exchanged by hand, as a good engineer of the library would", library.program);
  Options options;
  app.add_option("--out", options.out, "folder of baseline.csv (default: here)");
  app.add_option("--block", options.blocks, "cells a GPU, cubed; several: 512,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 12));
  app.add_option("--grid", options.grids, "ranks in x, y, z; several: 1x1x2,2x1x1")->delimiter(',');
  app.add_option("--config", options.configs, "some of the ways, by name; several")->delimiter(',');
  app.add_option("--suffix", options.suffix, "added to the ways' names in the results");
  app.add_option("--radius", options.radius)->check(CLI::Range(1, 64));
  app.add_option("--fields", options.fields)->check(CLI::Range(1, most_fields));
  app.add_option("--rounds", options.budget.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--samples", options.budget.samples)->check(CLI::Range(1, 1'000'000));
  app.add_option("--steady", options.budget.steady)->check(CLI::Range(0, 1'000'000));
  app.add_option("--seconds", options.budget.seconds)->check(CLI::Range(0.0, 3600.0));
  return run_program(argc, argv, app, [&](comm::RankGroup& world, const Environment&) {
    const auto methods = chosen(library.methods, options.configs);
    take_device(world);
    if (library.start) library.start(world);
    int refused = 0;
    for (const Vec3& grid : grids_of(options, world.size())) {
      for (const auto cells : options.blocks) {
        if (cells < options.radius) {
          throw InvalidArgument(
              fmt::format("--block is {}; allowed is the radius of {} or more", cells, options.radius));
        }
        refused +=
            run_case(world, options, library, methods, {Vec3::filled(cells), grid, options.radius, options.fields});
      }
    }
    if (library.stop) library.stop();
    return refused > 0 ? 1 : 0;
  });
}

}  // namespace halocline::bench

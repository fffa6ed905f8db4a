#include <CLI/CLI.hpp>
#include <cstdio>

#include "baselines/baseline.cuh"
#include "support/blocks.hpp"
#include "support/program.hpp"
#include "support/results.hpp"

namespace halocline::bench {
namespace {

struct Options {
  std::string out = ".";
  std::vector<std::int64_t> blocks{512, 256, 128, 64};
  std::string grid;
  std::vector<std::string> configs;  ///< empty: all
  int devices_per_rank = 1;
  std::int64_t radius = 3;
  int fields = 4;
  Budget budget;
};

struct Ranks {
  Shape shape;
  int first_device = 0;  ///< of this rank's, on its node
};

Ranks ranks_of(comm::Communicator& world, const Options& options) {
  const auto node = world.split_by_node({});
  Ranks ranks;
  ranks.shape.ranks_per_node = node->size();
  ranks.shape.nodes = world.size() / node->size();
  ranks.shape.gpus_per_node = ranks.shape.ranks_per_node * options.devices_per_rank;
  ranks.first_device = static_cast<int>(node->rank().value()) * options.devices_per_rank;
  node->close();
  comm::agree_on(world, [&] {
    if (ranks.first_device + options.devices_per_rank > gpu_count()) {
      throw InvalidArgument("--devices-per-rank is " + std::to_string(options.devices_per_rank) + " with " +
                            std::to_string(ranks.shape.ranks_per_node) +
                            " ranks on the node; allowed is what fits the " + std::to_string(gpu_count()) +
                            " GPUs that a rank sees");
    }
  });
  return ranks;
}

/// One method at one size: a contender, and its verdict.
struct Running {
  std::vector<Block> blocks;
  std::unique_ptr<Baseline> baseline;

  void synchronize() {
    for (auto& block : blocks) block.synchronize();
  }
  std::int64_t wrong_after_exchange(comm::Communicator& world, std::uint32_t round) {
    for (auto& block : blocks) block.fill(round);
    world.barrier();
    baseline->exchange();
    synchronize();
    std::int64_t wrong = 0;
    for (auto& block : blocks) wrong += block.wrong_cells(round);
    return world.all_reduce(wrong, comm::Reduction::sum);
  }
};

void verify(comm::Communicator& world, Running& running, const std::string& config, std::uint32_t round) {
  const std::int64_t wrong = running.wrong_after_exchange(world, round);
  if (wrong > 0) {
    throw InternalError(config + ": " + std::to_string(wrong) + " cells are wrong after exchange " +
                        std::to_string(round));
  }
}

std::vector<Method> chosen(const std::vector<Method>& methods, const std::vector<std::string>& names) {
  if (names.empty()) return methods;
  std::vector<Method> wanted;
  for (const auto& name : names) {
    std::string allowed;
    std::size_t found = methods.size();
    for (std::size_t m = 0; m < methods.size(); ++m) {
      allowed += (m == 0 ? "" : ", ") + methods[m].config;
      if (methods[m].config == name) found = m;
    }
    if (found == methods.size()) throw InvalidArgument("--config is '" + name + "'; allowed are " + allowed);
    wanted.push_back(methods[found]);
  }
  return wanted;
}

std::string device_name() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return std::string("cuda (") + properties.name + ")";
}

void run_size(comm::Communicator& world, const Options& options, const Ranks& ranks, const std::vector<Method>& methods,
              std::int64_t cells) {
  const Grids grids = grids_for_blocks(ranks.shape.nodes, ranks.shape.gpus_per_node, options.grid);
  const Workload workload{Vec3::filled(cells), grids.all(), options.radius, options.fields};
  std::int64_t bytes_out = 0;
  for (const Direction d : all_directions) bytes_out += elements_towards(workload, d) * std::int64_t{sizeof(float)};

  std::vector<Running> running(methods.size());
  std::vector<Contender> contenders;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Running& one = running[m];
    for (int i = 0; i < options.devices_per_rank; ++i) {
      const auto number = world.rank().value() * options.devices_per_rank + i;
      one.blocks.emplace_back(ranks.first_device + i, workload, position_of(workload, number));
    }
    one.baseline = methods[m].make({&world, workload, &one.blocks});
    verify(world, one, methods[m].config, 1);
    contenders.push_back({methods[m].config, [&one] { one.baseline->exchange(); }, [&one] { one.synchronize(); }});
  }
  const auto timings = take_turns(world, contenders, options.budget);

  std::vector<Entry> entries;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    verify(world, running[m], methods[m].config, 2);
    Entry entry;
    entry.config = methods[m].config;
    entry.cuda_aware = methods[m].cuda_aware;
    entry.bytes_out = bytes_out;
    entry.messages = 26 * grids.all().volume();
    entry.rounds = timings[m];
    entry.routes = methods[m].config;
    entry.note = "every cell verified";
    entries.push_back(entry);
  }
  Case what;
  what.study = "baseline";
  what.size = std::to_string(cells);
  what.kind = "block";
  what.device = device_name();
  what.shape = ranks.shape;
  what.extent = workload.grid * workload.cells;
  what.grid = workload.grid;
  what.radius = options.radius;
  what.fields = options.fields;
  report(world, options.out, what, entries);
}

}  // namespace

int run_baseline(int argc, char** argv, const std::string& program, const std::vector<Method>& methods,
                 const std::function<void()>& at_end) {
  CLI::App app("halos exchanged as it is often written by hand", program);
  Options options;
  app.add_option("--out", options.out, "folder of baseline.csv (default: here)");
  app.add_option("--block", options.blocks, "cells a GPU, cubed; several: 512,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 12));
  app.add_option("--grid", options.grid, "GPUs of a node in x, y, z: 1x2x2");
  app.add_option("--config", options.configs, "some of the ways, by name; several")->delimiter(',');
  app.add_option("--devices-per-rank", options.devices_per_rank)->check(CLI::Range(1, 64));
  app.add_option("--radius", options.radius)->check(CLI::Range(1, 64));
  app.add_option("--fields", options.fields)->check(CLI::Range(1, most_fields));
  app.add_option("--rounds", options.budget.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--samples", options.budget.samples)->check(CLI::Range(1, 1'000'000));
  app.add_option("--steady", options.budget.steady)->check(CLI::Range(0, 1'000'000));
  app.add_option("--seconds", options.budget.seconds)->check(CLI::Range(0.0, 3600.0));
  return run_program(argc, argv, app, [&](comm::Communicator& world, const Environment&) {
    const auto wanted = chosen(methods, options.configs);
    const Ranks ranks = ranks_of(world, options);
    for (const auto cells : options.blocks) {
      if (cells < options.radius) {
        throw InvalidArgument("--block is " + std::to_string(cells) + "; allowed is the radius of " +
                              std::to_string(options.radius) + " or more");
      }
      run_size(world, options, ranks, wanted, cells);
    }
    if (at_end) at_end();
    return 0;
  });
}

}  // namespace halocline::bench

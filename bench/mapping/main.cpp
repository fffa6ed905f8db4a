// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "halocline/error.hpp"
#include "mapping/mapping.hpp"
#include "support/program.hpp"

namespace {

using namespace halocline;

std::vector<bench::NamedMapper> mappers_of(const std::vector<std::string>& names) {
  const std::vector<bench::NamedMapper> all = bench::mappers();
  std::vector<bench::NamedMapper> wanted;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name, &bench::NamedMapper::name);
    if (found == all.end()) {
      std::vector<std::string> allowed;
      for (const bench::NamedMapper& mapper : all) allowed.push_back(mapper.name);
      throw InvalidArgument(fmt::format("--mapper is '{}'; allowed is one of {}", name, fmt::join(allowed, ", ")));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("what mapping a job gains, and what it costs", "bench_mapping");
  bench::PatternsRequest patterns{.machines = {"machines/magc-cluster-a.json", "machines/magc-cluster-b.json"},
                                  .bytes = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}};
  auto* pattern = app.add_subcommand("patterns", "congestion and simulated time of patterns, by how they are mapped");
  pattern->add_option("--machine", patterns.machines, "files (default: machines/magc-cluster-a.json, -b.json)")
      ->delimiter(',');
  pattern->add_option("--bytes", patterns.bytes, "of a message (default 4096,16384,65536,262144,1048576)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  pattern->add_option("--ranks", patterns.ranks, "(default 64)")->check(CLI::Range(1, 1 << 16));
  pattern->add_option("--irregular", patterns.irregular, "random patterns (default 10)")->check(CLI::Range(0, 1000));
  pattern->add_option("--csv", patterns.csv, "a file that rows are added to");
  bench::ScaleRequest scales{.nodes = {1536, 4608}};
  std::vector<std::string> mappers{"partition"};
  auto* scale = app.add_subcommand("scale", "seconds and memory of mappers for many nodes");
  scale->add_option("--nodes", scales.nodes, "several (default 1536,4608)")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000));
  scale->add_option("--fabric", scales.fabric, "crossbar (default), fat_tree or torus");
  scale->add_option("--ranks-per-node", scales.ranks_per_node, "(default 1)")->check(CLI::Range(1, 1000));
  scale->add_option("--mapper", mappers, "several (default partition)")->delimiter(',');
  app.require_subcommand(1);
  return bench::run_program(argc, argv, app, [&](comm::RankGroup& world, const Environment&) {
    if (world.size() != 1) {
      throw InvalidArgument(fmt::format("bench_mapping has {} ranks; allowed is 1", world.size()));
    }
    if (*pattern) bench::patterns_table(patterns);
    if (*scale) {
      scales.mappers = mappers_of(mappers);
      bench::scale_table(scales);
    }
    return 0;
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// Weak and strong scaling on Summit by simulation, with what the model leaves out.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "causes/causes.hpp"
#include "halocline/error.hpp"
#include "io/json.hpp"
#include "machine/synthetic.hpp"
#include "support/program.hpp"

namespace {

using namespace halocline;

/// As 'halocline simulate --study' plans.
Plan plan_of(machine::MachineMap map, std::int64_t nodes, std::int64_t side) {
  PlanRequest request;
  request.machine = std::move(map);
  request.machine.nodes.resize(static_cast<std::size_t>(nodes));
  const std::int64_t devices = request.machine.devices_of(node_id(0));
  machine::assign_ranks(request.machine, devices);
  request.extent = Vec3::filled(side);
  request.stencil = Stencil::box(3);
  for (int f = 0; f < 4; ++f) {
    request.fields.emplace_back();
    request.fields.back().name = fmt::format("f{}", f);
  }
  request.partition = partition::Method::exact;
  request.placement.method = placement::Method::exact;
  return make_plan(request);
}

void print_rows(const machine::MachineMap& map, std::int64_t nodes, const std::string& study, const std::string& only) {
  const auto devices = static_cast<double>(nodes * map.devices_of(node_id(0)));
  const std::int64_t side = study == "strong" ? 1363 : std::llround(750 * std::cbrt(devices));
  const Plan plan = plan_of(map, nodes, side);
  for (const auto& [name, transports] :
       {std::pair{"remote", "mpi_staged"}, std::pair{"self", "self,peer_copy,ipc_copy,mpi_staged"}}) {
    const auto routes = assumed_routes(plan, routing::Policy::parse(transports), false);
    for (const bench::Cause& cause : bench::causes()) {
      if (!only.empty() && cause.name != only) continue;
      fmt::print("{},{},{},{},{:.9e}\n", study, nodes, name, cause.name, bench::seconds_with(plan, routes, cause));
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("exchanges on Summit, simulated with what the model leaves out", "bench_causes");
  std::string file;
  std::vector<std::int64_t> nodes{8, 16, 32, 64};
  app.add_option("--machine", file, "a machine map with a fat tree")->required();
  std::string only;
  app.add_option("--cause", only, "the name of one (default: all)");
  app.add_option("--nodes", nodes, "several (default 8,16,32,64)")->delimiter(',')->check(CLI::Range(1, 4608));
  return bench::run_program(argc, argv, app, [&](comm::RankGroup& world, const Environment&) {
    if (world.size() != 1) {
      throw InvalidArgument(fmt::format("bench_causes has {} ranks; allowed is 1", world.size()));
    }
    const machine::MachineMap map = io::read_machine_file(file);
    if (!std::holds_alternative<machine::FatTree>(map.network.fabric.shape)) {
      throw InvalidArgument(fmt::format("the network of '{}' is not a fat tree; allowed is one", map.name));
    }
    fmt::print("study,nodes,routes,cause,seconds\n");
    for (const std::int64_t n : nodes) {
      if (n > std::ssize(map.nodes)) {
        throw InvalidArgument(fmt::format("--nodes is {}; allowed is up to {}", n, map.nodes.size()));
      }
      for (const char* study : {"weak", "strong"}) print_rows(map, n, study, only);
    }
    return 0;
  });
}

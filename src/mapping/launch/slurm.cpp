// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <set>

#include "mapping/launch/parts.hpp"

namespace halocline::mapping::detail {

Launch slurm_launch(const LaunchRequest& request) {
  std::string hosts;
  std::set<int> nodes;
  for (const Seat& seat : request.seats) {
    hosts += host_of(request, seat) + "\n";
    nodes.insert(seat.node);
  }
  const auto processors = common_processors(request);
  Launch launch;
  launch.files = {{"hostfile", hosts, false}, wrapper(request, !processors)};
  launch.command = fmt::format(
      "SLURM_HOSTFILE=hostfile srun --nodes={} --ntasks={} --distribution=arbitrary --cpu-bind={} ./{} PROGRAM",
      nodes.size(), request.seats.size(), processors ? "map_cpu:" + *processors : "none", wrapper_name);
  launch.notes.emplace_back(
      "an allocation that it is started in must have these nodes, whole; outside of one, srun asks for them: add "
      "--exclusive");
  if (!processors) {
    launch.notes.emplace_back(
        "--cpu-bind=map_cpu has one list for all nodes and takes the operating system's numbers: where nodes differ, "
        "or "
        "--cpu-numbers are not given, the wrapper binds (with taskset)");
  }
  return launch;
}

}  // namespace halocline::mapping::detail

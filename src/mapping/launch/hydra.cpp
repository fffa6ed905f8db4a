// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <set>

#include "mapping/launch/parts.hpp"

namespace halocline::mapping::detail {

// Hydra reads one host a line and gives ranks out in that order. It joins a host's lines only where they follow each
// other (HYDU_add_to_node_list), and takes `user:` as one list for each of its nodes, by position there, in the operating
// system's numbers (handle_user_binding in its hwloc support).
Launch hydra_launch(const LaunchRequest& request) {
  std::string hosts;
  std::set<int> left;
  bool scattered = false;
  for (std::size_t r = 0; r < request.seats.size(); ++r) {
    hosts += fmt::format("{}:1\n", host_of(request, request.seats[r]));
    if (r == 0 || request.seats[r].node == request.seats[r - 1].node) continue;
    left.insert(request.seats[r - 1].node);
    scattered = scattered || left.contains(request.seats[r].node);
  }
  const auto processors = scattered ? std::nullopt : common_processors(request);
  Launch launch;
  launch.files = {{"hosts", hosts, false}, wrapper(request, !processors)};
  launch.command = fmt::format("mpiexec -f hosts -n {} -bind-to {} ./{} PROGRAM", request.seats.size(),
                               processors ? "user:" + *processors : "none", wrapper_name);
  if (!processors) {
    launch.notes.emplace_back(
        "-bind-to user: has one list for all nodes and takes the operating system's numbers: where nodes differ, a "
        "node's "
        "ranks do not follow each other, or --cpu-numbers are not given, the wrapper binds (with taskset)");
  }
  if (scattered) {
    launch.notes.emplace_back(
        "Hydra takes a host that appears again, after another one, for another node: MPICH may then not use shared "
        "memory "
        "between the two groups of ranks");
  }
  return launch;
}

}  // namespace halocline::mapping::detail

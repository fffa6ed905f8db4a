// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "mapping/launch/parts.hpp"

namespace halocline::mapping::detail {

Launch openmpi_launch(const LaunchRequest& request) {
  std::string text;
  for (std::size_t r = 0; r < request.seats.size(); ++r) {
    text += fmt::format("rank {}={} slot={}\n", r, host_of(request, request.seats[r]), request.seats[r].core);
  }
  Launch launch;
  launch.files = {{"rankfile", text, false}, wrapper(request, false)};
  launch.command = fmt::format("mpirun -n {} --rankfile rankfile ./{} PROGRAM", request.seats.size(), wrapper_name);
  launch.notes.emplace_back(
      "slots are logical numbers of cores, as hwloc counts them: leave rmaps_rank_file_physical and "
      "--use-hwthread-cpus off");
  return launch;
}

}  // namespace halocline::mapping::detail

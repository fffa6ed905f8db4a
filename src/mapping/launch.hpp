// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/job.hpp"

namespace halocline::mapping {

/// What starts the processes of a job.
enum class Launcher : int { openmpi_rankfile, slurm, mpich };
inline constexpr std::array all_launchers{Launcher::openmpi_rankfile, Launcher::slurm, Launcher::mpich};
/// "openmpi-rankfile", "slurm", "mpich"
[[nodiscard]] std::string_view to_string(Launcher launcher);

struct LaunchRequest {
  const machine::MachineMap* machine = nullptr;
  std::vector<Seat> seats;  ///< by process
  /// The operating system's number of each logical core's first processing unit, alike on all nodes; empty: not known, the
  /// wrapper finds them where it runs.
  std::vector<int> cpu_numbers;
};

struct LaunchFile {
  std::string name;
  std::string text;
  bool executable = false;
};

struct Launch {
  std::vector<LaunchFile> files;
  std::string command;             ///< with PROGRAM in the place of the program and its arguments
  std::vector<std::string> notes;  ///< what the launcher cannot do, and what is assumed
};

/// The files that put each process where its seat is. All have a wrapper that each process is started through: it gives the
/// process its GPU, by UUID where the map has them, and binds it to its core where the launcher cannot.
/// Throws InvalidArgument where a node's name is no host name, where names repeat, where a device's UUID holds other
/// characters than letters, digits, '-' and '/', as all of them go into a shell script, and where cpu_numbers are too few.
[[nodiscard]] Launch make_launch(Launcher launcher, const LaunchRequest& request);

}  // namespace halocline::mapping

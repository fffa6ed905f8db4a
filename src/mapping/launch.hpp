// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/job.hpp"

namespace halocline::mapping {

/// The launcher that starts the processes of a job.
enum class Launcher : int { openmpi_rankfile, slurm, mpich };
inline constexpr std::array all_launchers{Launcher::openmpi_rankfile, Launcher::slurm, Launcher::mpich};
/// "openmpi-rankfile", "slurm", "mpich"
[[nodiscard]] std::string_view to_string(Launcher launcher);

struct LaunchRequest {
  const machine::MachineMap* machine = nullptr;
  std::vector<Seat> seats;  ///< by process
  /// The operating system's number of the first processing unit of each logical core, the same on all nodes. Empty if
  /// not known: then the wrapper determines them where it runs.
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

/// Returns the files that start each process at its seat. All contain a wrapper through which each process is started:
/// it assigns the process its GPU, by UUID if the map contains UUIDs, and binds it to its core if the launcher cannot.
/// Throws InvalidArgument if a node's name is not a host name, if names repeat, if a device's UUID contains characters
/// other than letters, digits, '-' and '/' (all of these go into a shell script), or if cpu_numbers are too few.
[[nodiscard]] Launch make_launch(Launcher launcher, const LaunchRequest& request);

}  // namespace halocline::mapping

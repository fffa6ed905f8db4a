// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "halocline/environment.hpp"

namespace halocline::comm {

/// The launcher of this process, from its environment variables.
struct Launcher {
  enum class Kind : int { none, open_mpi, hydra, pmix, slurm };
  Kind kind = Kind::none;
  int size = 0;          ///< processes of the job; 0 if the launcher does not provide it
  std::string evidence;  ///< "OMPI_COMM_WORLD_SIZE=4"
};

/// Whether this process is the first of the processes that a launcher started together, by the launcher's variables:
/// for use before there are ranks, or in a program that never has any. True without a launcher.
[[nodiscard]] bool first_of_job();
/// The same for other variables than the process's.
[[nodiscard]] bool first_of_job(const Environment::Lookup& lookup);

/// The number of this process in its job, by the same variables; 0 without a launcher, or if it does not provide a
/// number.
[[nodiscard]] int number_in_job();
[[nodiscard]] int number_in_job(const Environment::Lookup& lookup);

/// "Open MPI's mpirun", "Hydra (MPICH's mpiexec)", ...
[[nodiscard]] std::string_view to_string(Launcher::Kind kind);

[[nodiscard]] Launcher detect_launcher(const Environment::Lookup& lookup);
[[nodiscard]] Launcher detect_launcher();

/// Returns why a launcher and an MPI library cannot work together, with what to do; nothing if they may.
/// library: as from MPI_Get_library_version. mpiexec: path of the library's own launcher; may be empty.
[[nodiscard]] std::optional<std::string> launcher_mismatch(const Launcher& launcher, std::string_view library,
                                                           std::string_view mpiexec);

/// The same for a mismatch that shows only after MPI_Init: a job of several processes, each alone in its world.
[[nodiscard]] std::optional<std::string> alone_in_world(const Launcher& launcher, int world_size,
                                                        std::string_view library, std::string_view mpiexec);

}  // namespace halocline::comm

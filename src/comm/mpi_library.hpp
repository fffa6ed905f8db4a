// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::comm {

/// The MPI of this build and what it provides in this process.
struct MpiLibrary {
  bool built = false;
  std::string version;       ///< as MPI reports it; may have many lines
  std::string mpiexec;       ///< path of its launcher; empty if it is not known
  std::string thread_level;  ///< "MPI_THREAD_SERIALIZED"; empty unless MPI is initialised
  bool any_thread = false;   ///< calls from any thread, one at a time, are allowed
};

/// May be called before MPI is initialised. Does not communicate.
[[nodiscard]] MpiLibrary mpi_library();

}  // namespace halocline::comm

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "comm/rank_group.hpp"

// Initialising and finalising MPI, for Session. Implemented in mpi/runtime.cpp, or in mpi_absent.cpp in builds without
// MPI.
namespace halocline::comm::runtime {

[[nodiscard]] bool built();
/// Whether MPI calls may be made: initialised and not finalised.
[[nodiscard]] bool active();
[[nodiscard]] bool finalised();
/// As MPI reports it; may be called before initialise().
[[nodiscard]] std::string library();
/// The path of the launcher that belongs to the library; empty if it is not known.
[[nodiscard]] std::string mpiexec();

/// The support of threads to ask for: MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.
enum class AskedLevel { serialized, multiple };
/// Throws CapabilityError in builds without MPI, as do all functions below.
/// Ends the process if MPI_Init does not return within the timeout; see Watchdog. MPI may provide less than `level`.
void initialise(int* argc, char*** argv, Duration timeout, AskedLevel level);
[[nodiscard]] int world_size();
/// The support of threads that MPI provides.
struct ThreadLevel {
  std::string name;         ///< "MPI_THREAD_SERIALIZED"
  bool any_thread = false;  ///< any thread may call MPI, one at a time
};
[[nodiscard]] ThreadLevel thread_level();
[[nodiscard]] std::unique_ptr<RankGroup> world(Duration timeout);
/// For waits: answers the roll calls of other ranks, and receives their errors, which poison their groups. See mpi/attendance.hpp. Does
/// nothing if MPI is not active.
void attend();
/// Whether any RankGroup of this process was poisoned: finalise() could then wait for ever.
[[nodiscard]] bool any_poisoned();
/// Ends the process if MPI_Finalize does not return within the timeout.
void finalise(Duration timeout);
[[noreturn]] void abort(int exit_code);

}  // namespace halocline::comm::runtime

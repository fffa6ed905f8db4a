// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "halocline/communicator.hpp"

// MPI's life in a process, for Session: mpi/runtime.cpp, or mpi_absent.cpp where MPI is not built in.
namespace halocline::comm::runtime {

[[nodiscard]] bool built();
/// Whether MPI calls may be made: initialised and not finalised.
[[nodiscard]] bool active();
[[nodiscard]] bool finalised();
/// As MPI reports it; may be called before initialise().
[[nodiscard]] std::string library();
/// The launcher that belongs to the library; empty where it is not known.
[[nodiscard]] std::string mpiexec();

/// Throws CapabilityError where MPI is not built in, as do all below.
/// Ends the process where MPI_Init does not return within the timeout; see Watchdog.
void initialise(int* argc, char*** argv, Duration timeout);
[[nodiscard]] int world_size();
[[nodiscard]] std::unique_ptr<Communicator> world(Duration timeout);
/// Whether any Communicator of this process was poisoned: finalise() could then wait for ever.
[[nodiscard]] bool any_poisoned();
/// The same of MPI_Finalize.
void finalise(Duration timeout);
[[noreturn]] void abort(int exit_code);

}  // namespace halocline::comm::runtime

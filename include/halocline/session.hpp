// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "halocline/communicator.hpp"
#include "halocline/environment.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// MPI's life in this program, or none. Makes the world's Communicator: MPI where this process was started by
/// a launcher (or MPI is initialised already, or HALOCLINE_COMM=mpi), the serial twin otherwise.
///
/// Notices before the first MPI call a launcher that belongs to another MPI than the one in this process, and
/// right after MPI_Init a job of several processes in which each is alone; throws CapabilityError that says what to do.
/// Finalises MPI in its destructor only where it initialised it, no Communicator of the process was poisoned, and no
/// exception unwinds it: MPI_Finalize waits for all ranks and could block for ever. Collective where it does. Where the
/// destructor does not finalise an MPI that it initialised, the process ends with status 1 where it would have ended with 0.
///
/// MPI cannot give up MPI_Init and MPI_Finalize: where one of them does not return within the timeout (the environment's,
/// or the world's at the end), because a rank never calls it or is gone, the process ends with one line and status 1.
///
/// Of an MPI that it initialises, it sets the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF to MPI_ERRORS_RETURN, so that
/// errors of MPI become Halocline's errors. Where the program initialised MPI, these handlers are the program's: see
/// from_mpi().
class Session {
 public:
  Session(int* argc, char*** argv, const Environment& environment);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] Communicator& world() { return *world_; }
  /// Ends the whole job at once with an exit code; for the end of main() after an error. Destructors do not run.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> world_;
  int exceptions_ = 0;  ///< under way when this was made; more of them in the destructor mean an error
  bool finalise_ = false;
};

}  // namespace halocline::comm
#pragma GCC visibility pop

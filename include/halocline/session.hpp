// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "halocline/communicator.hpp"
#include "halocline/environment.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// Initialises and finalises MPI if the program needs it, and makes the world's Communicator: by MPI if a launcher started this
/// process (or MPI is initialised already, or HALOCLINE_COMM=mpi), the serial backend otherwise.
///
/// Throws CapabilityError with what to do if the launcher belongs to another MPI than the one in this process (detected before the
/// first MPI call), or if each process of a job is alone in its world (detected after MPI_Init).
/// The destructor finalises MPI, collectively, only if this Session initialised it, no Communicator of the process was poisoned, and
/// no exception is unwinding: MPI_Finalize waits for all ranks and could block for ever. If it leaves out MPI_Finalize for such a
/// reason, the process ends with status 1 instead of 0.
///
/// MPI_Init and MPI_Finalize cannot be interrupted: if one of them does not return within the timeout (the environment's, or the
/// world's at the end), because another rank never calls it or has exited, the process ends with one line and status 1.
///
/// If it initialises MPI, it sets the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF to MPI_ERRORS_RETURN, so that
/// errors of MPI become Halocline's errors. If the program initialised MPI, it keeps its handlers: see from_mpi().
class Session {
 public:
  Session(int* argc, char*** argv, const Environment& environment);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// A handle to the ranks of the program, valid as long as the Session.
  [[nodiscard]] Communicator world() { return *world_; }
  /// Ends the whole job at once with an exit code; for the end of main() after an error. Destructors do not run.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<RankGroup> world_;
  int exceptions_ = 0;  ///< under way when this was made; more of them in the destructor mean an error
  bool finalise_ = false;
};

}  // namespace halocline::comm
#pragma GCC visibility pop

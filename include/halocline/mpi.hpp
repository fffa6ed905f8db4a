// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The only public header that needs MPI; for programs that bring their own communicator.
#include <mpi.h>

#include "halocline/communicator.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// A private duplicate of an intra-communicator, which may be freed afterwards. Collective over it; MPI must be
/// initialised, with MPI_THREAD_SERIALIZED or more if another thread may call MPI: Halocline calls MPI from the calling
/// thread only, but for net. timeout: of the duplication, and the Communicator's until a Domain takes it, which sets its own. Throws InvalidArgument for a
/// null or inter-communicator, before MPI_Init or after MPI_Finalize, and DeadlineError if a rank does not take part.
///
/// MPI_Comm_split and MPI_Comm_free cannot be interrupted: if a rank dies while others are in Domain::plan() or close(), the
/// processes of these end after timeout(), with one line and status 1.
///
/// The duplicate's error handler is MPI_ERRORS_RETURN. Some MPIs (Open MPI 4) report errors of non-blocking collectives to MPI_COMM_WORLD's
/// handler nevertheless, which ends the job with MPI's own message unless the program sets that handler to MPI_ERRORS_RETURN, too.
[[nodiscard]] Communicator from_mpi(MPI_Comm comm, Duration timeout = std::chrono::seconds(120));

/// With the default timeout, for the duplication alone: a domain sets its own, DomainOptions::timeout, before plan().
template <>
struct Adopt<MPI_Comm> {
  static Communicator adopt(MPI_Comm comm) { return from_mpi(comm); }
};

}  // namespace halocline::comm
#pragma GCC visibility pop

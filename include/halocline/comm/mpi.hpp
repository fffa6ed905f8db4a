#pragma once

// The only public header that needs MPI; for programs that bring their own communicator.
#include <mpi.h>

#include <memory>

#include "halocline/comm/communicator.hpp"

namespace halocline::comm {

/// A private duplicate of an intra-communicator, which may be freed afterwards. Collective over it; MPI must be
/// initialised. Where another thread may call MPI, MPI_THREAD_SERIALIZED or more is needed; Halocline itself calls
/// MPI from the calling thread only. timeout: of the duplication, and the Communicator's at first. Throws
/// InvalidArgument for a null or inter-communicator or before MPI_Init, DeadlineError where a rank does not come.
[[nodiscard]] std::unique_ptr<Communicator> from_mpi(MPI_Comm comm, Duration timeout = std::chrono::seconds(120));

}  // namespace halocline::comm

// SPDX-License-Identifier: BSD-3-Clause
// When MPI ends. A communicator exists only while MPI is initialised, so that its calls need not ask MPI whether it is: this is known
// from MPI_Finalize itself, which deletes the attributes of MPI_COMM_SELF before anything else.
#pragma once

#include <memory>

#include "comm/rank_group.hpp"

namespace halocline::comm::mpi {

/// Sets the attribute, once in a process. To be called while MPI is initialised, before the first communicator is made.
/// Throws CommunicationError.
void watch_finalisation();

/// Whether MPI_Finalize has begun: nothing of MPI may be called any more.
[[nodiscard]] bool finalising() noexcept;

/// A thread that calls MPI beside others. MPI_Finalize waits until none is left, for 5 s at most.
[[nodiscard]] std::unique_ptr<ConcurrentCaller> make_concurrent_caller();

}  // namespace halocline::comm::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>

namespace halocline::comm::mpi {

/// Throws CommunicationError with the call, MPI's own reason and the location, unless code is MPI_SUCCESS.
/// Usage: check(MPI_Start(&request), "MPI_Start").
void check(int code, const char* what, std::source_location where = std::source_location::current());

}  // namespace halocline::comm::mpi

// SPDX-License-Identifier: BSD-3-Clause
// Defines each function of mpi_calls.inc in front of MPI's.
#include <mpi.h>

#include "plan.hpp"

#define MPI_FAULT(name, parameters, arguments)                                    \
  extern "C" [[gnu::visibility("default")]] int name parameters {                 \
    static constinit faults::Point point{#name};                                  \
    if (faults::fails(point)) return MPI_ERR_OTHER;                               \
    return reinterpret_cast<int(*) parameters>(faults::next_of(point)) arguments; \
  }
#include "mpi_calls.inc"

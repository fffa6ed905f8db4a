// SPDX-License-Identifier: BSD-3-Clause
// Stands in front of the functions of MPI that the table of the fault points has.
#include <mpi.h>

#include "strike.hpp"

#define MPI_FAULT(name, parameters, arguments)                                     \
  extern "C" [[gnu::visibility("default")]] int name parameters {                  \
    static constinit losses::Point point{#name};                                   \
    if constexpr (losses::counted(#name)) losses::count(losses::Kind::mpi, #name); \
    return reinterpret_cast<int(*) parameters>(losses::next_of(point)) arguments;  \
  }
#include "faults/interposer/mpi_calls.inc"

// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <halocline/error.hpp>
#include <halocline/mpi.hpp>

namespace halocline::c {

comm::Communicator from_fortran_handle(std::int64_t handle, Duration timeout) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  // Before it MPI knows no handles.
  if (initialised == 0) throw InvalidArgument("MPI is not initialised; allowed is a communicator after MPI_Init");
  return comm::from_mpi(MPI_Comm_f2c(static_cast<MPI_Fint>(handle)), timeout);
}

}  // namespace halocline::c

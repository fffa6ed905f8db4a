// SPDX-License-Identifier: BSD-3-Clause
// MPICH's mpif.h and `use mpi` call MPI's C functions by their public names, and so does `use mpi_f08` where there is a buffer:
// the C functions count those. Of `use mpi_f08`, calls without buffers go to the PMPI_ names; they are taken by Fortran's.
#include "profile/fortran/calls.hpp"
#include "profile/fortran/functions.hpp"

namespace halocline::profile::fortran {

HALOCLINE_FORTRAN_CONTROL(HALOCLINE_FORTRAN_F08)

}  // namespace halocline::profile::fortran

// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's Fortran layer calls MPI's C functions by their PMPI_ names, which no preloaded library sees, so its own names are
// taken, of mpif.h and `use mpi`, and of `use mpi_f08`.
#include "profile/fortran/calls.hpp"
#include "profile/fortran/functions.hpp"

// Sentinels are variables of common blocks; libmpi.so has them, in the spelling of the compiler that it was made for.
extern "C" {
extern char mpi_fortran_in_place __attribute__((weak));
extern char mpi_fortran_in_place_ __attribute__((weak));
extern char mpi_fortran_in_place__ __attribute__((weak));
extern char mpi_fortran_bottom __attribute__((weak));
extern char mpi_fortran_bottom_ __attribute__((weak));
extern char mpi_fortran_bottom__ __attribute__((weak));
}

namespace halocline::profile::fortran {

const void* buffer_of(const void* address) noexcept {
  if (address == nullptr) return nullptr;
  const auto is_one_of = [address](auto*... sentinels) { return ((address == sentinels) || ...); };
  if (is_one_of(&mpi_fortran_in_place, &mpi_fortran_in_place_, &mpi_fortran_in_place__)) return MPI_IN_PLACE;
  if (is_one_of(&mpi_fortran_bottom, &mpi_fortran_bottom_, &mpi_fortran_bottom__)) return MPI_BOTTOM;
  return address;
}

HALOCLINE_FORTRAN_CONTROL(HALOCLINE_FORTRAN_MPIF)
HALOCLINE_FORTRAN_SENDS(HALOCLINE_FORTRAN_MPIF)
HALOCLINE_FORTRAN_COLLECTIVES(HALOCLINE_FORTRAN_MPIF)
HALOCLINE_FORTRAN_ONE_SIDED(HALOCLINE_FORTRAN_MPIF)

HALOCLINE_FORTRAN_CONTROL(HALOCLINE_FORTRAN_F08)
HALOCLINE_FORTRAN_SENDS(HALOCLINE_FORTRAN_F08)
HALOCLINE_FORTRAN_COLLECTIVES(HALOCLINE_FORTRAN_F08)
HALOCLINE_FORTRAN_ONE_SIDED(HALOCLINE_FORTRAN_F08)

}  // namespace halocline::profile::fortran

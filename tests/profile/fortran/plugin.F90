! SPDX-License-Identifier: BSD-3-Clause
! A part of a program that is loaded at run time, and the only one in Fortran: it has MPI's Fortran library for itself.
subroutine send_to_next(count) bind(C)
  use mpi
  use, intrinsic :: iso_c_binding, only : c_int
  implicit none
  integer(c_int), value :: count
  integer :: out(64), in(64), rank, size, ierror
  out = 1
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Sendrecv(out, count, MPI_INTEGER, mod(rank + 1, size), 0, in, count, MPI_INTEGER, mod(rank + size - 1, size), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
end subroutine

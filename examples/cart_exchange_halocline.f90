! SPDX-License-Identifier: BSD-3-Clause
! After: the same by Halocline, in the same arrays.
module exchange_routine
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use halocline
  implicit none
  private
  public :: begin_exchanges, exchange_halos, end_exchanges
  character(*), parameter, public :: exchange_name = 'Halocline'

  type(halocline_domain) :: domain
  integer :: fields(2)

contains

  subroutine begin_exchanges(cart, lower, upper, halo, u, v)
    type(MPI_Comm), intent(in) :: cart
    integer, intent(in) :: lower(3), upper(3), halo
    real(real64), intent(inout), target :: u(:, :, :), v(:, :, :)
    call domain%create([halocline_box(lower, upper)], halocline_stencil_star(halo), comm=cart%MPI_VAL)
    fields(1) = domain%add_field('u', HALOCLINE_F64)
    fields(2) = domain%add_field('v', HALOCLINE_F64)
    call domain%plan()
    call domain%use_array(fields(1), halocline_array(u, [halo, halo, halo]))
    call domain%use_array(fields(2), halocline_array(v, [halo, halo, halo]))
    call domain%realize()
  end subroutine

  ! Of the first array, or of the second.
  subroutine exchange_halos(which)
    integer, intent(in) :: which
    call domain%exchange([halocline_transfer(fields(which))])
  end subroutine

  subroutine end_exchanges()
    call domain%close()
  end subroutine
end module

! SPDX-License-Identifier: BSD-3-Clause
! Before: the faces of two arrays by MPI_Isend and MPI_Irecv of subarrays.
module exchange_routine
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  implicit none
  private
  public :: begin_exchanges, exchange_halos, end_exchanges
  character(*), parameter, public :: exchange_name = 'MPI'

  type :: face
    integer :: from, to
    type(MPI_Datatype) :: sent, received
  end type

  type(MPI_Comm) :: comm
  type(face) :: faces(6)
  real(real64), pointer :: first(:, :, :), second(:, :, :)

contains

  subroutine begin_exchanges(cart, lower, upper, halo, u, v)
    type(MPI_Comm), intent(in) :: cart
    integer, intent(in) :: lower(3), upper(3), halo
    real(real64), intent(inout), target :: u(:, :, :), v(:, :, :)
    integer :: dim, side, n(3), extent(3), begin(3), length(3)
    comm = cart
    first => u
    second => v
    n = upper - lower + 1
    extent = shape(u)
    do dim = 1, 3
      do side = 0, 1
        associate (f => faces(2 * dim - 1 + side))
          ! Side 0 is sent to the neighbour below and received from the one above.
          call MPI_Cart_shift(cart, dim - 1, merge(-1, 1, side == 0), f%from, f%to)
          length = n
          length(dim) = halo
          begin = halo
          if (side == 1) begin(dim) = n(dim)
          call subarray(extent, length, begin, f%sent)
          begin(dim) = merge(n(dim) + halo, 0, side == 0)
          call subarray(extent, length, begin, f%received)
        end associate
      end do
    end do
  end subroutine

  subroutine subarray(extent, length, begin, datatype)
    integer, intent(in) :: extent(3), length(3), begin(3)
    type(MPI_Datatype), intent(out) :: datatype
    call MPI_Type_create_subarray(3, extent, length, begin, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, datatype)
    call MPI_Type_commit(datatype)
  end subroutine

  ! Of the first array, or of the second.
  subroutine exchange_halos(which)
    integer, intent(in) :: which
    if (which == 1) then
      call exchange_faces(first)
    else
      call exchange_faces(second)
    end if
  end subroutine

  subroutine exchange_faces(cells)
    real(real64), intent(inout), asynchronous, contiguous :: cells(:, :, :)
    type(MPI_Request) :: requests(12)
    integer :: i
    do i = 1, 6
      call MPI_Irecv(cells, 1, faces(i)%received, faces(i)%from, i, comm, requests(2 * i - 1))
      call MPI_Isend(cells, 1, faces(i)%sent, faces(i)%to, i, comm, requests(2 * i))
    end do
    call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine end_exchanges()
    integer :: i
    do i = 1, 6
      call MPI_Type_free(faces(i)%sent)
      call MPI_Type_free(faces(i)%received)
    end do
  end subroutine
end module

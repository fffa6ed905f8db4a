! SPDX-License-Identifier: BSD-3-Clause
! Makes the calls of twin.cpp, one for one, so that both are counted alike. Built three times: as it is for `use mpi`, with F08 for
! `use mpi_f08`, with MPIF for mpif.h.
#ifdef F08
#define HANDLE(kind) type(kind)
! The error code is optional there.
#define LAST
#else
#define HANDLE(kind) integer
#define LAST , ierror
#endif

module twin
#if defined(F08)
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  use, intrinsic :: iso_c_binding, only : c_int, c_loc, c_ptr
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  interface
    subroutine declare_device_memory(begin, bytes, present) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: begin
      integer(c_int), value :: bytes, present
    end subroutine
  end interface
  integer, target :: out(4096) = 1, in(4096) = 0, attached(4096) = 0
  integer :: rank, size, next, previous, ierror
  HANDLE(MPI_Request) :: requests(4)
  integer, allocatable :: counts(:), offsets(:), same(:), apart(:)

contains

  subroutine receive(n, number)
    integer, intent(in) :: n, number
    call MPI_Irecv(in, n, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, requests(number), ierror)
  end subroutine

  subroutine wait_for(number)
    integer, intent(in) :: number
    call MPI_Waitall(number, requests, MPI_STATUSES_IGNORE, ierror)
  end subroutine

  subroutine sends
    call receive(10, 1)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Send(out, 10, MPI_INTEGER, next, 0, MPI_COMM_WORLD, ierror)
    call wait_for(1)
    call receive(11, 1)
    call MPI_Bsend(out, 11, MPI_INTEGER, next, 0, MPI_COMM_WORLD, ierror)
    call wait_for(1)
    call receive(12, 1)
    call MPI_Ssend(out, 12, MPI_INTEGER, next, 0, MPI_COMM_WORLD, ierror)
    call wait_for(1)
    call receive(13, 1)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Rsend(out, 13, MPI_INTEGER, next, 0, MPI_COMM_WORLD, ierror)
    call wait_for(1)
    call receive(14, 1)
    call MPI_Isend(out, 14, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call wait_for(2)
    call receive(15, 1)
    call MPI_Ibsend(out, 15, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call wait_for(2)
    call receive(16, 1)
    call MPI_Issend(out, 16, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call wait_for(2)
    call receive(17, 1)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
    call MPI_Irsend(out, 17, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call wait_for(2)
    call MPI_Sendrecv(out, 20, MPI_INTEGER, next, 0, in, 20, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Sendrecv_replace(in, 21, MPI_INTEGER, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Send(out, 22, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  end subroutine

  ! From a device's memory, and from beside it.
  subroutine places
    integer :: n
    call declare_device_memory(c_loc(out(1025)), 256, 1_c_int)
    do n = 1, 2
      call MPI_Sendrecv(out(merge(1025, 1089, n == 1)), 60 + n, MPI_INTEGER, next, 0, in, 60 + n, MPI_INTEGER, previous, 0, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, out(1025), 5, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call MPI_Allreduce(out(1025), in, 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call declare_device_memory(c_loc(out(1025)), 256, 0_c_int)
  end subroutine

  ! Addresses within a datatype, relative to MPI_BOTTOM.
  subroutine absolute
    integer(kind=MPI_ADDRESS_KIND) :: place(1)
    integer :: lengths(1)
    HANDLE(MPI_Datatype) :: types(1), there
    lengths = 23
    types(1) = MPI_INTEGER
    call MPI_Get_address(out, place(1), ierror)
    call MPI_Type_create_struct(1, lengths, place, types, there, ierror)
    call MPI_Type_commit(there, ierror)
    call MPI_Sendrecv(MPI_BOTTOM, 1, there, next, 0, in, 23, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Type_free(there, ierror)
  end subroutine

  subroutine persistent
    integer :: i
    call MPI_Recv_init(in, 30, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Send_init(out, 30, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2) LAST)
    do i = 1, 3
      if (i == 1) then
        call MPI_Startall(2, requests, ierror)
      else
        call MPI_Start(requests(1), ierror)
        call MPI_Start(requests(2), ierror)
      end if
      call wait_for(2)
    end do
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
    call MPI_Recv_init(in, 31, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Ssend_init(out, 31, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Recv_init(in, 32, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Bsend_init(out, 32, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Startall(4, requests, ierror)
    call wait_for(4)
    do i = 1, 4
      call MPI_Request_free(requests(i), ierror)
    end do
    call MPI_Recv_init(in, 33, MPI_INTEGER, previous, 0, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Rsend_init(out, 33, MPI_INTEGER, next, 0, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Start(requests(1), ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Start(requests(2), ierror)
    call wait_for(2)
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
  end subroutine

  ! Odd and even ranks by themselves, in reverse order.
  subroutine communicators
    HANDLE(MPI_Comm) :: half
    integer :: own, number
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
    call MPI_Comm_rank(half, own, ierror)
    call MPI_Comm_size(half, number, ierror)
    call MPI_Sendrecv(out, 40, MPI_INTEGER, mod(own + 1, number), 0, in, 40, MPI_INTEGER, mod(own + number - 1, number), 0, &
                      half, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_free(half, ierror)
  end subroutine

  subroutine blocks
    integer :: r
    allocate(counts(size), offsets(size), same(size), apart(size))
    do r = 1, size
      counts(r) = r
      offsets(r) = r * (r - 1) / 2
      apart(r) = (r - 1) * (rank + 1)
    end do
    same = rank + 1
  end subroutine
end module twin

program profile_twin
  use twin
  implicit none
  external :: collectives, neighbourhoods, one_sided
  character(len=16) :: how
  integer :: provided
  call get_command_argument(1, how)
  if (how == 'plain') then
    call MPI_Init(ierror)
  else
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided LAST)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  if (how == 'abort') call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  call MPI_Buffer_attach(attached, 4 * 4096, ierror)
  call blocks
  call sends
  call places
  call absolute
  call persistent
  call communicators
  call collectives
  call neighbourhoods
  call one_sided
  call MPI_Finalize(ierror)
end program

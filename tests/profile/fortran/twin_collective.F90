! SPDX-License-Identifier: BSD-3-Clause
! Collectives and one-sided calls of the twin; see twin.F90.
#ifdef F08
#define HANDLE(kind) type(kind)
#define NUMBER(handle) handle%MPI_VAL
#else
#define HANDLE(kind) integer
#define NUMBER(handle) handle
#endif

! Each blocking, then nonblocking.
subroutine collectives
  use twin
  implicit none
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Datatype) :: types(64), nothing
  integer :: bytes(64), bytes_apart(64), i
  do i = 1, 64
    types(i) = MPI_INTEGER
  end do
  bytes(1:size) = 4 * offsets
  bytes_apart(1:size) = 4 * apart
  call MPI_Bcast(out, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(out, in, 4, MPI_INTEGER, MPI_SUM, size - 1, MPI_COMM_WORLD, ierror)
  call MPI_Gather(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Gatherv(out, rank + 1, MPI_INTEGER, in, counts, offsets, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Scatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Scatterv(out, counts, offsets, MPI_INTEGER, in, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Allgatherv(out, rank + 1, MPI_INTEGER, in, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Alltoallv(out, counts, offsets, MPI_INTEGER, in, same, apart, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Alltoallw(out, counts, bytes, types, in, same, bytes_apart, types, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, in, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Reduce_scatter_block(out, in, 9, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Scan(out, in, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Exscan(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  ! What MPI does not look at need not be anything.
  NUMBER(nothing) = 123456
  call MPI_Allgather(MPI_IN_PLACE, 7, nothing, in, 13, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Allgatherv(MPI_IN_PLACE, 7, nothing, in, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  ! The root alone may say MPI_IN_PLACE.
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 12, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Gather(out, 12, MPI_INTEGER, in, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Ibcast(out, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ireduce(out, in, 4, MPI_INTEGER, MPI_SUM, size - 1, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Igather(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Igatherv(out, rank + 1, MPI_INTEGER, in, counts, offsets, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iscatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iscatterv(out, counts, offsets, MPI_INTEGER, in, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallgatherv(out, rank + 1, MPI_INTEGER, in, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ialltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ialltoallv(out, counts, offsets, MPI_INTEGER, in, same, apart, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ialltoallw(out, counts, bytes, types, in, same, bytes_apart, types, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallreduce(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallreduce(MPI_IN_PLACE, in, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ireduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ireduce_scatter_block(out, in, 9, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iscan(out, in, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iexscan(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
end subroutine

! Along a line with two ends, and around a ring where datatypes differ: there MPICH 4.0 has mpi_f08 look for a graph.
subroutine neighbourhoods
  use twin
  implicit none
  HANDLE(MPI_Comm) :: line, ring
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Datatype) :: both(2)
  integer :: extents(1), around(2), threes(2), twelves(2), sent(2), received(2)
  integer(kind=MPI_ADDRESS_KIND) :: far(2)
  logical :: periodic(1)
  extents = size
  periodic = .false.
  threes = 3
  twelves = [0, 12]
  sent = [5, 6]
  received = [6, 5]
  far = [0, 48]
  both(1) = MPI_INTEGER
  both(2) = MPI_INTEGER
  call MPI_Cart_create(MPI_COMM_WORLD, 1, extents, periodic, .false., line, ierror)
  around = [previous, next]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., ring, ierror)
  call MPI_Neighbor_allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, line, ierror)
  call MPI_Neighbor_allgatherv(out, 3, MPI_INTEGER, in, threes, twelves, MPI_INTEGER, line, ierror)
  call MPI_Neighbor_alltoall(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, line, ierror)
  call MPI_Neighbor_alltoallv(out, sent, twelves, MPI_INTEGER, in, received, twelves, MPI_INTEGER, line, ierror)
  call MPI_Neighbor_alltoallw(out, threes, far, both, in, threes, far, both, ring, ierror)
  call MPI_Ineighbor_allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, line, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ineighbor_allgatherv(out, 3, MPI_INTEGER, in, threes, twelves, MPI_INTEGER, line, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ineighbor_alltoall(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, line, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ineighbor_alltoallv(out, sent, twelves, MPI_INTEGER, in, received, twelves, MPI_INTEGER, line, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Ineighbor_alltoallw(out, threes, far, both, in, threes, far, both, ring, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Comm_free(line, ierror)
  call MPI_Comm_free(ring, ierror)
end subroutine

subroutine one_sided
  use twin
  implicit none
  HANDLE(MPI_Win) :: window
  HANDLE(MPI_Request) :: request
  integer, asynchronous :: memory(80)
  integer :: expected(1)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place(5)
  memory = 0
  expected = 0
  bytes = 320
  place = [0, 16, 32, 48, 64]
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Put(out, 3, MPI_INTEGER, next, place(1), 3, MPI_INTEGER, window, ierror)
  call MPI_Get(in, 5, MPI_INTEGER, next, place(2), 5, MPI_INTEGER, window, ierror)
  call MPI_Accumulate(out, 7, MPI_INTEGER, next, place(3), 7, MPI_INTEGER, MPI_SUM, window, ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Win_lock_all(0, window, ierror)
  call MPI_Rput(out, 4, MPI_INTEGER, next, place(1), 4, MPI_INTEGER, window, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Rget(in, 6, MPI_INTEGER, next, place(2), 6, MPI_INTEGER, window, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Raccumulate(out, 8, MPI_INTEGER, next, place(3), 8, MPI_INTEGER, MPI_SUM, window, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Rget_accumulate(out, 9, MPI_INTEGER, in, 9, MPI_INTEGER, next, place(4), 9, MPI_INTEGER, MPI_SUM, window, &
        request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Get_accumulate(out, 10, MPI_INTEGER, in, 10, MPI_INTEGER, next, place(4), 10, MPI_INTEGER, MPI_NO_OP, &
        window, ierror)
  call MPI_Fetch_and_op(out, in, MPI_INTEGER, next, place(5), MPI_SUM, window, ierror)
  call MPI_Compare_and_swap(out, expected, in, MPI_INTEGER, next, place(5), window, ierror)
  call MPI_Win_unlock_all(window, ierror)
  call MPI_Win_free(window, ierror)
end subroutine

! What it costs that an MPI_Isend of 8 bytes is counted, called from Fortran: PMPI_ calls go by the profiling library.
program cost
  use mpi
  implicit none
  integer :: ierror, out(2), in(2), requests(2), i, round
  double precision :: begin, with, without
  out = 0
  with = 1; without = 1
  call MPI_Init(ierror)
  do round = 1, 2000
    begin = MPI_Wtime()
    do i = 1, 200
      call PMPI_Irecv(in, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, requests(1), ierror)
      call PMPI_Isend(out, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, requests(2), ierror)
      call PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end do
    without = min(without, MPI_Wtime() - begin)
    begin = MPI_Wtime()
    do i = 1, 200
      call PMPI_Irecv(in, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend(out, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, requests(2), ierror)
      call PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end do
    with = min(with, MPI_Wtime() - begin)
  end do
  print '(a,f7.1,a,f7.1,a)', 'from Fortran, in the world     ', &
    without * 1e9 / 200, ' ns without, ', with * 1e9 / 200, ' ns with'
  call MPI_Finalize(ierror)
end program

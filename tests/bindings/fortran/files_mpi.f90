! SPDX-License-Identifier: BSD-3-Clause
! files_mpi write|restore FOLDER: writes images and a checkpoint, in a folder made anew; or restores that, on any number of ranks.
program files_mpi
  use mpi_f08
  use file_cases
  implicit none
  type(halocline_domain) :: domain
  character(1000) :: what, folder
  integer :: u, rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, what)
  call get_command_argument(2, folder)
  call make(domain, u, 1, MPI_COMM_WORLD%MPI_VAL)
  if (what == 'write') then
    if (rank == 0) call execute_command_line('rm -rf "' // trim(folder) // '" && mkdir -p "' // trim(folder) // '"')
    call MPI_Barrier(MPI_COMM_WORLD)
    call check_images(domain, u, trim(folder))
    call check(write_checkpoints(domain, u, trim(folder) // '/saved'), 'checkpoints in this build')
  else
    call restore_checkpoint(domain, u, trim(folder) // '/saved')
  end if
  call domain%close()
  call MPI_Allreduce(MPI_IN_PLACE, passed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, 3a, i0)', ranks, ' ranks, ', trim(what), ': cases passed: ', passed
  call MPI_Finalize()
end program

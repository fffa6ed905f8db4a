! SPDX-License-Identifier: BSD-3-Clause
! The heat equation with files: --output DIR writes images for ParaView, --checkpoint DIR a checkpoint, and --restart DIR continues
! from one, on any number of ranks. --steps N: in all. Each cell is compared with the discrete equation's solution.
program heat_files
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use halocline
  implicit none
  integer, parameter :: n = 48
  real(real64), parameter :: diffusion = 0.1_real64, angle = 2 * acos(-1.0_real64) / n
  type(halocline_domain) :: domain
  type(halocline_options) :: options
  type(halocline_output) :: images
  type(halocline_checkpoints) :: saved
  type(halocline_box) :: own
  type(halocline_box), allocatable :: boxes(:)
  real(real64), pointer :: now(:, :, :), next(:, :, :)
  character(:), allocatable :: output_folder, checkpoint_folder, restart_folder
  character(20) :: number
  integer(int64) :: counts(2)
  integer :: t, steps, first, step, b, x, y, z

  call MPI_Init()
  call read_options()
  options%backend = HALOCLINE_BACKEND_HOST
  options%devices = 1
  call domain%create([n, n, n], halocline_stencil_star(1), comm=MPI_COMM_WORLD%MPI_VAL, options=options)
  t = domain%add_field('t', HALOCLINE_F64, buffers=2)
  call domain%realize()
  own = domain%owned()
  boxes = domain%boundary()
  call halocline_point(now, domain%view(t))
  do z = own%lower(3), own%upper(3)
    do y = own%lower(2), own%upper(2)
      do x = own%lower(1), own%upper(1)
        now(x, y, z) = wave(x, y, z, 0)
      end do
    end do
  end do

  first = 0
  if (restart_folder /= '') then
    saved = domain%checkpoints(restart_folder)
    if (saved%restore()) then
      number = saved%value('step')
      read (number, *) first
    end if
    call saved%destroy()
  end if
  if (output_folder /= '') images = domain%output(output_folder // '/heat.pvd', spacing=[1, 1, 1] / real(n, real64), &
                                                  resume=restart_folder /= '')
  do step = first + 1, steps
    call domain%start_exchange()
    call update(domain%interior())  ! while halos are under way
    call domain%finish_exchange()
    do b = 1, size(boxes)
      call update(boxes(b))
    end do
    call domain%swap(t)
    if (output_folder /= '' .and. mod(step, 10) == 0) call images%write(step, step * diffusion)
  end do
  call images%destroy()
  if (checkpoint_folder /= '') then
    saved = domain%checkpoints(checkpoint_folder)
    write (number, '(i0)') steps
    call saved%write([halocline_metadata('step', trim(number))])
    call saved%destroy()
  end if

  counts = 0
  call halocline_point(now, domain%view(t))
  do z = own%lower(3), own%upper(3)
    do y = own%lower(2), own%upper(2)
      do x = own%lower(1), own%upper(1)
        counts(1) = counts(1) + 1
        if (.not. abs(now(x, y, z) - wave(x, y, z, steps)) < 1e-12_real64) counts(2) = counts(2) + 1
      end do
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  if (domain%rank() == 0) then
    print '(9(g0))', 'heat: steps ', first + 1, ' to ', steps, ', ', counts(1), ' cells, ', counts(2), ' wrong'
  end if
  call domain%close()
  call MPI_Finalize()
  if (counts(2) /= 0) error stop 1

contains

  ! What the discrete equation makes of a product of three waves: it shrinks by the same factor in each step.
  real(real64) function wave(x, y, z, after)
    integer, intent(in) :: x, y, z, after
    wave = product(sin(angle * [x, y, z])) * (1 - 6 * diffusion * (1 - cos(angle)))**after
  end function

  subroutine update(box)
    type(halocline_box), intent(in) :: box
    integer :: x, y, z
    call halocline_point(now, domain%view(t))
    call halocline_point(next, domain%view(t, ahead=1))
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          next(x, y, z) = now(x, y, z) + diffusion * (now(x - 1, y, z) + now(x + 1, y, z) + now(x, y - 1, z) + now(x, y + 1, z) &
                                                      + now(x, y, z - 1) + now(x, y, z + 1) - 6 * now(x, y, z))
        end do
      end do
    end do
  end subroutine

  subroutine read_options()
    character(1000) :: option, value
    integer :: i, status
    steps = 50
    output_folder = ''
    checkpoint_folder = ''
    restart_folder = ''
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, option)
      call get_command_argument(i + 1, value)
      status = 0
      select case (option)
      case ('--steps')
        read (value, *, iostat=status) steps
      case ('--output')
        output_folder = trim(value)
      case ('--checkpoint')
        checkpoint_folder = trim(value)
      case ('--restart')
        restart_folder = trim(value)
      case default
        status = 1
      end select
      if (status /= 0 .or. value == '') then
        print '(4a)', 'heat_files: ', trim(option), ' ', trim(value)
        error stop 'allowed are --steps N, --output DIR, --checkpoint DIR and --restart DIR'
      end if
    end do
  end subroutine
end program

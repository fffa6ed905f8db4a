! SPDX-License-Identifier: BSD-3-Clause
! A Fortran MPI code with its own decomposition: an MPI_Cart grid of uneven boxes, and its own arrays with a halo. It solves the heat
! equation, and compares each cell with the discrete equation's solution. It is built twice, with the module exchange_routine of
! cart_exchange_mpi.f90 and with that of cart_exchange_halocline.f90: nothing else changes.
program cart_heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use exchange_routine
  implicit none
  integer, parameter :: extent(3) = [30, 36, 42], halo = 1, steps = 20
  real(real64), parameter :: diffusion = 0.1_real64, pi = acos(-1.0_real64)
  type(MPI_Comm) :: cart
  integer :: ranks, rank, dims(3), coords(3), lower(3), upper(3), step, now, i, x, y, z
  real(real64), allocatable, target :: u(:, :, :), v(:, :, :)  ! cells by their numbers in the domain, with halos
  integer(int64) :: counts(2)

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 3, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .true., cart)
  call MPI_Comm_rank(cart, rank)
  call MPI_Cart_coords(cart, rank, 3, coords)
  do i = 1, 3
    lower(i) = cells_below(i, coords(i)) + 1
    upper(i) = cells_below(i, coords(i) + 1)
  end do
  allocate (u(lower(1) - halo:upper(1) + halo, lower(2) - halo:upper(2) + halo, lower(3) - halo:upper(3) + halo))
  allocate (v, mold=u)
  do z = lower(3), upper(3)
    do y = lower(2), upper(2)
      do x = lower(1), upper(1)
        u(x, y, z) = waves(x, y, z, 0)
      end do
    end do
  end do

  call begin_exchanges(cart, lower, upper, halo, u, v)
  do step = 1, steps
    now = 2 - mod(step, 2)
    call exchange_halos(now)
    if (now == 1) then
      call update(u, v)
    else
      call update(v, u)
    end if
  end do
  call end_exchanges()

  if (mod(steps, 2) == 1) u = v
  counts = 0
  do z = lower(3), upper(3)
    do y = lower(2), upper(2)
      do x = lower(1), upper(1)
        counts(1) = counts(1) + 1
        if (.not. abs(u(x, y, z) - waves(x, y, z, steps)) < 1e-12_real64) counts(2) = counts(2) + 1
      end do
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INTEGER8, MPI_SUM, cart)
  if (rank == 0) then
    print '(8(g0))', exchange_name, ': ', ranks, ' ranks, ', counts(1), ' cells, ', counts(2), ' wrong'
  end if
  call MPI_Comm_free(cart)
  call MPI_Finalize()
  if (counts(2) /= 0) error stop 1

contains

  ! Below a part along a dimension: parts grow, with one share for the first, two for the second, and so on.
  integer function cells_below(dim, part)
    integer, intent(in) :: dim, part
    cells_below = extent(dim) * part * (part + 1) / (dims(dim) * (dims(dim) + 1))
  end function

  ! What the discrete equation makes of a sum of three waves: each shrinks by the same factor in each step.
  real(real64) function waves(x, y, z, after)
    integer, intent(in) :: x, y, z, after
    real(real64) :: angle(3)
    angle = 2 * pi / extent
    waves = sum(sin(angle * [x, y, z]) * (1 - 2 * diffusion * (1 - cos(angle)))**after)
  end function

  subroutine update(from, to)
    real(real64), intent(in) :: from(lower(1) - halo:, lower(2) - halo:, lower(3) - halo:)
    real(real64), intent(inout) :: to(lower(1) - halo:, lower(2) - halo:, lower(3) - halo:)
    integer :: x, y, z
    do z = lower(3), upper(3)
      do y = lower(2), upper(2)
        do x = lower(1), upper(1)
          to(x, y, z) = from(x, y, z) + diffusion * (from(x - 1, y, z) + from(x + 1, y, z) + from(x, y - 1, z) + &
                                                     from(x, y + 1, z) + from(x, y, z - 1) + from(x, y, z + 1) - 6 * from(x, y, z))
        end do
      end do
    end do
  end subroutine
end program

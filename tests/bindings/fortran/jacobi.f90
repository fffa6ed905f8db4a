! SPDX-License-Identifier: BSD-3-Clause
! Jacobi steps by a program that keeps its MPI_Cart, its uneven boxes and its arrays: bit for bit as a serial solution.
program jacobi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use halocline
  implicit none
  integer, parameter :: extent(3) = [22, 20, 21], steps = 15
  type(MPI_Comm) :: cart
  type(halocline_domain) :: domain
  type(halocline_options) :: options
  type(halocline_box) :: mine, own
  integer :: ranks, rank, dims(3), coords(3), field, step, i
  ! Two layers of halo in the arrays, of which the stencil reads one; by the numbers of the cells in the whole domain.
  real(real64), allocatable, target :: u(:, :, :), v(:, :, :)
  real(real64), pointer :: now(:, :, :), next(:, :, :)
  real(real64), allocatable :: whole(:, :, :)
  integer(int64) :: counts(2)

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 3, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .true., cart)
  call MPI_Comm_rank(cart, rank)
  call MPI_Cart_coords(cart, rank, 3, coords)
  do i = 1, 3
    mine%lower(i) = below(extent(i), dims(i), coords(i)) + 1
    mine%upper(i) = below(extent(i), dims(i), coords(i) + 1)
  end do
  associate (l => mine%lower, h => mine%upper)
    allocate (u(l(1) - 2:h(1) + 2, l(2) - 2:h(2) + 2, l(3) - 2:h(3) + 2), source=huge(1.0_real64))
  end associate
  allocate (v, mold=u)
  v = huge(1.0_real64)

  options%backend = HALOCLINE_BACKEND_HOST
  options%devices = 1
  call domain%create([mine], halocline_stencil_star(1), comm=cart%MPI_VAL, options=options)
  field = domain%add_field('u', HALOCLINE_F64, buffers=2)
  call domain%plan()
  own = domain%owned()
  if (any(own%lower /= mine%lower) .or. any(own%upper /= mine%upper)) error stop 'FAILED: owned() is another box'
  if (domain%rank() /= rank .or. domain%ranks() /= ranks) error stop 'FAILED: rank() or ranks()'
  call domain%use_array(field, halocline_array(u, halo=[2, 2, 2]), buffer=1)
  call domain%use_array(field, halocline_array(v, halo=[2, 2, 2]), buffer=2)
  call domain%realize()

  call set(u, lbound(u), mine)
  do step = 1, steps
    call domain%exchange()
    call halocline_point(now, domain%view(field))
    call halocline_point(next, domain%view(field, ahead=1))
    call update(now, next, lbound(now), mine)
    call domain%swap(field)
  end do
  call domain%close()
  if (any(lbound(now) /= mine%lower - 1)) error stop 'FAILED: a view begins at another cell'

  call solve_alone()
  counts = [product(int(mine%upper - mine%lower + 1, int64)), 0_int64]
  associate (l => mine%lower, h => mine%upper)
    if (mod(steps, 2) == 1) u = v
    counts(2) = count(u(l(1):h(1), l(2):h(2), l(3):h(3)) /= whole(l(1):h(1), l(2):h(2), l(3):h(3)), kind=int64)
  end associate
  call MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INTEGER8, MPI_SUM, cart)
  if (rank == 0) print '(i0, a, i0, a, i0, a)', ranks, ' ranks: ', counts(1), ' cells, ', counts(2), ' wrong'
  call MPI_Comm_free(cart)
  call MPI_Finalize()
  if (counts(2) /= 0) error stop 1

contains

  ! Cells below a part along a dimension: parts grow, with one share for the first, two for the second, and so on.
  pure integer function below(cells, parts, part)
    integer, intent(in) :: cells, parts, part
    below = cells * part * (part + 1) / (parts * (parts + 1))
  end function

  subroutine set(cells, first, box)
    integer, intent(in) :: first(3)
    real(real64), intent(inout) :: cells(first(1):, first(2):, first(3):)
    type(halocline_box), intent(in) :: box
    integer :: x, y, z
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          cells(x, y, z) = mod(7 * x + 13 * y + 29 * z, 31)
        end do
      end do
    end do
  end subroutine

  subroutine update(from, to, first, box)
    integer, intent(in) :: first(3)
    real(real64), intent(in) :: from(first(1):, first(2):, first(3):)
    real(real64), intent(inout) :: to(first(1):, first(2):, first(3):)
    type(halocline_box), intent(in) :: box
    integer :: x, y, z
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          to(x, y, z) = (from(x - 1, y, z) + from(x + 1, y, z) + from(x, y - 1, z) + from(x, y + 1, z) + &
                         from(x, y, z - 1) + from(x, y, z + 1)) / 6
        end do
      end do
    end do
  end subroutine

  subroutine solve_alone()
    real(real64), allocatable :: other(:, :, :)
    integer :: n
    associate (e => extent)
      allocate (whole(0:e(1) + 1, 0:e(2) + 1, 0:e(3) + 1), source=0.0_real64)
      allocate (other, source=whole)
      call set(whole, lbound(whole), halocline_box([1, 1, 1], extent))
      do n = 1, steps
        whole(0, :, :) = whole(e(1), :, :)
        whole(e(1) + 1, :, :) = whole(1, :, :)
        whole(:, 0, :) = whole(:, e(2), :)
        whole(:, e(2) + 1, :) = whole(:, 1, :)
        whole(:, :, 0) = whole(:, :, e(3))
        whole(:, :, e(3) + 1) = whole(:, :, 1)
        call update(whole, other, lbound(whole), halocline_box([1, 1, 1], extent))
        whole = other
      end do
    end associate
  end subroutine
end program

! SPDX-License-Identifier: BSD-3-Clause
! A heat equation on two host devices of one process: interiors are updated while halos are under way.
program hello_halo
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  implicit none
  type(halocline_domain) :: domain
  type(halocline_options) :: options
  type(halocline_box), allocatable :: boxes(:)
  type(halocline_box) :: own
  real(real64), pointer :: now(:, :, :), next(:, :, :)
  real(real64) :: total
  integer :: u, s, b, step

  options%backend = HALOCLINE_BACKEND_HOST
  options%devices = 2
  call domain%create([64, 64, 64], halocline_stencil_star(1), options=options)
  u = domain%add_field('u', HALOCLINE_F64, buffers=2)
  call domain%realize()          ! discover, partition, place, allocate, route
  print '(a)', domain%explain()  ! what was decided, and why

  do s = 1, domain%subdomains()
    call halocline_point(now, domain%view(u, s))
    now = 0
    if (all(lbound(now) <= 1)) now(1, 1, 1) = 1000  ! the subdomain with the first cell
  end do
  do step = 1, 100
    call domain%start_exchange()
    do s = 1, domain%subdomains()
      call update(domain%interior(s))  ! while halos are under way
    end do
    call domain%finish_exchange()
    do s = 1, domain%subdomains()
      boxes = domain%boundary(s)
      do b = 1, size(boxes)
        call update(boxes(b))  ! with halos
      end do
    end do
    call domain%swap(u)
  end do

  total = 0
  do s = 1, domain%subdomains()
    call halocline_point(now, domain%view(u, s))
    own = domain%owned(s)
    total = total + sum(now(own%lower(1):own%upper(1), own%lower(2):own%upper(2), own%lower(3):own%upper(3)))
  end do
  print '(a, f8.3)', 'heat: ', total
  call domain%close()

contains

  ! Cells by their numbers in the whole domain: now and next begin with the first halo cell.
  subroutine update(box)
    type(halocline_box), intent(in) :: box
    integer :: x, y, z
    call halocline_point(now, domain%view(u, s))
    call halocline_point(next, domain%view(u, s, ahead=1))
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          next(x, y, z) = now(x, y, z) + 0.1_real64 * (now(x - 1, y, z) + now(x + 1, y, z) + now(x, y - 1, z) + now(x, y + 1, z) &
                                                       + now(x, y, z - 1) + now(x, y, z + 1) - 6 * now(x, y, z))
        end do
      end do
    end do
  end subroutine
end program

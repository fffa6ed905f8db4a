! SPDX-License-Identifier: BSD-3-Clause
! Checks that are counted; the first that fails ends the program.
module counting
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer :: passed = 0

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) then
      write (error_unit, '(2a)') 'FAILED: ', what
      error stop 1
    end if
    passed = passed + 1
  end subroutine

  subroutine check_refused(stat, errmsg, status, part)
    integer, intent(in) :: stat, status
    character(*), intent(in) :: errmsg, part
    call check(stat == status .and. index(errmsg, part) > 0, trim(errmsg) // '; expected: ' // part)
  end subroutine
end module

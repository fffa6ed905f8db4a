! SPDX-License-Identifier: BSD-3-Clause
! How procedures of the module halocline report errors, as allocate() does: stat is 0 or the error's number, errmsg is set on errors
! only; without stat the program ends with the text.
module halocline_errors
  use, intrinsic :: iso_c_binding
  use halocline_c
  implicit none
  private
  public :: finished, refused, text_of

  integer(c_int32_t), parameter, public :: HALOCLINE_SUCCESS = 0, HALOCLINE_INVALID_ARGUMENT = 1, HALOCLINE_CAPABILITY_ERROR = 2, &
    HALOCLINE_RESOURCE_ERROR = 3, HALOCLINE_COMMUNICATION_ERROR = 4, HALOCLINE_DEVICE_ERROR = 5, HALOCLINE_DEADLINE_ERROR = 6, &
    HALOCLINE_PROTOCOL_ERROR = 7, HALOCLINE_INTERNAL_ERROR = 8

contains

  ! A text of C, which is empty for a null pointer.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    interface
      function strlen(s) bind(C) result(n)
        import c_ptr, c_size_t
        type(c_ptr), value :: s
        integer(c_size_t) :: n
      end function
    end interface
    integer(c_size_t) :: i, n
    text = ''
    if (.not. c_associated(pointer)) return
    n = strlen(pointer)
    call c_f_pointer(pointer, bytes, [n])
    deallocate (text)
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = bytes(i)
    end do
  end function

  ! Reports the status of a function of C.
  subroutine finished(status, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (status == HALOCLINE_SUCCESS) then
      if (present(stat)) stat = 0
    else
      call refused(status, text_of(halocline_last_error()), stat, errmsg)
    end if
  end subroutine

  ! Reports an error with a text of this module's own.
  subroutine refused(status, text, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(errmsg)) errmsg = text
    if (present(stat)) then
      stat = status
    else
      error stop 'halocline: ' // text_of(halocline_status_name(status)) // ': ' // text
    end if
  end subroutine
end module

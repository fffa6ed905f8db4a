! SPDX-License-Identifier: BSD-3-Clause
! Arrays of a domain as pointers of the program.
module halocline_views
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halocline_c
  use halocline_errors
  use halocline_values
  implicit none
  private
  public :: halocline_point, view_of

  ! One array of a field of a subdomain. Valid until the domain is closed; keeps referring to its buffer after a swap.
  type, public :: halocline_view
    type(c_ptr) :: data = c_null_ptr  ! the first owned cell, in the memory of its device
    integer(c_int64_t) :: stride(3) = 0, component_stride = 0  ! bytes
    type(halocline_box) :: owned, with_halo
    integer :: element = 0, components = 0
  end type

  ! call halocline_point(p, view): p => the cells of a view in host memory, halo included, by their numbers in the whole domain:
  ! p(x, y, z) is valid for view%with_halo, and lbound(p) is view%with_halo%lower. p is of the field's type, and of rank 3, or of rank
  ! 4 with components as the last index. With rank 3 and several components, component (1) names one.
  interface halocline_point
    procedure i32_3, i32_4, i64_3, i64_4, f32_3, f32_4, f64_3, f64_4, c64_3, c64_4, c128_3, c128_4
  end interface

  ! The memory of a view as Fortran's pointers have it: an array whose first index is contiguous, of which a part is used.
  type :: layout
    type(c_ptr) :: first
    integer(c_int64_t) :: whole(4) = 1, used(4) = 1
    integer :: lower(4) = 1
    logical :: fits = .false.
  end type

contains

  subroutine i32_3(p, view, component, stat, errmsg)
    integer(int32), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_I32, 4, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine i32_4(p, view, stat, errmsg)
    integer(int32), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_I32, 4, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  subroutine i64_3(p, view, component, stat, errmsg)
    integer(int64), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_I64, 8, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine i64_4(p, view, stat, errmsg)
    integer(int64), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_I64, 8, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  subroutine f32_3(p, view, component, stat, errmsg)
    real(real32), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real32), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_F32, 4, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine f32_4(p, view, stat, errmsg)
    real(real32), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real32), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_F32, 4, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  subroutine f64_3(p, view, component, stat, errmsg)
    real(real64), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_F64, 8, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine f64_4(p, view, stat, errmsg)
    real(real64), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_F64, 8, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  subroutine c64_3(p, view, component, stat, errmsg)
    complex(real32), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real32), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_C64, 8, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine c64_4(p, view, stat, errmsg)
    complex(real32), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real32), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_C64, 8, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  subroutine c128_3(p, view, component, stat, errmsg)
    complex(real64), pointer, intent(inout) :: p(:, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64), pointer :: whole(:, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_C128, 16, 3, component, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:3))
    p(at%lower(1):, at%lower(2):, at%lower(3):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3))
  end subroutine

  subroutine c128_4(p, view, stat, errmsg)
    complex(real64), pointer, intent(inout) :: p(:, :, :, :)
    type(halocline_view), intent(in) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64), pointer :: whole(:, :, :, :)
    type(layout) :: at
    at = layout_of(view, HALOCLINE_C128, 16, 4, stat=stat, errmsg=errmsg)
    if (.not. at%fits) return
    call c_f_pointer(at%first, whole, at%whole(1:4))
    p(at%lower(1):, at%lower(2):, at%lower(3):, at%lower(4):) => whole(1:at%used(1), 1:at%used(2), 1:at%used(3), 1:at%used(4))
  end subroutine

  function layout_of(view, element, bytes, rank, component, stat, errmsg) result(at)
    type(halocline_view), intent(in) :: view
    integer, intent(in) :: element, bytes, rank
    integer, intent(in), optional :: component
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(layout) :: at
    character(4), parameter :: names(0:HALOCLINE_C128) = [character(4) :: 'none', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', &
      'u64', 'f16', 'bf16', 'f32', 'f64', 'c64', 'c128']
    character(40) :: numbers
    integer(c_intptr_t) :: address
    integer(c_int64_t) :: strides(4)
    if (element /= view%element) then
      call refused(HALOCLINE_INVALID_ARGUMENT, 'element type of the pointer is ' // trim(names(element)) // '; allowed is ' // &
        trim(names(view%element)) // ', the field''s', stat, errmsg)
      return
    end if
    address = transfer(view%data, 0_c_intptr_t)
    address = address - sum((view%owned%lower - view%with_halo%lower) * view%stride)
    if (present(component)) then
      if (component < 1 .or. component > view%components) then
        write (numbers, '(i0, a, i0)') component, '; allowed is 1 to ', view%components
        call refused(HALOCLINE_INVALID_ARGUMENT, 'component is ' // trim(numbers), stat, errmsg)
        return
      end if
      address = address + (component - 1) * view%component_stride
    end if
    at%first = transfer(address, c_null_ptr)
    at%lower(1:3) = view%with_halo%lower
    at%used = [int(view%with_halo%upper - view%with_halo%lower + 1, c_int64_t), int(view%components, c_int64_t)]
    ! Each stride is a whole number of those before it; a pointer has no other gaps.
    strides = [view%stride, view%component_stride]
    at%fits = strides(1) == bytes .and. all(modulo(strides(2:rank), max(strides(1:rank - 1), 1_c_int64_t)) == 0)
    if (.not. at%fits) then
      call refused(HALOCLINE_CAPABILITY_ERROR, 'the array is not one that a pointer of this rank can describe; ' // &
        'allowed is rank 3, for one component', stat, errmsg)
      return
    end if
    at%whole(1:rank - 1) = strides(2:rank) / strides(1:rank - 1)
    at%whole(rank) = at%used(rank)
    if (present(stat)) stat = HALOCLINE_SUCCESS
  end function

  pure function view_of(c) result(view)
    type(c_view), intent(in) :: c
    type(halocline_view) :: view
    view = halocline_view(c%data, c%stride, c%component_stride, box_of(c%owned), box_of(c%with_halo), c%element, c%components)
  end function
end module

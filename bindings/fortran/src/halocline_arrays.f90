! SPDX-License-Identifier: BSD-3-Clause
! Arrays of the program, described for domain%use_array().
module halocline_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halocline_values
  implicit none
  private
  public :: halocline_array, halocline_device_array

  ! Memory of the program with all its cells, halos included.
  type :: halocline_array
    type(c_ptr) :: data = c_null_ptr  ! the first cell, a corner of the halo
    integer :: extent(3) = 0
    integer(c_int64_t) :: stride(3) = 0, component_stride = 0  ! bytes
    integer :: halo_below(3) = 0, halo_above(3) = 0
    integer :: components = 0, element = 0
    character(:), allocatable :: mistake  ! in the arguments that it was made with
  end type

  ! halocline_array(cells, halo, halo_above, axes): an array of rank 3, or of rank 4 with components, whole or a section, which has the
  ! attribute target (or pointer). halo: its cells around the owned ones in x, y, z; halo_above: where there are others above. axes:
  ! the meaning of its indices, 'xyz' or 'xyzc' where it is left out; 'cxyz' has the components of a cell side by side. Not copied.
  interface halocline_array
    procedure i32_3, i32_4, i64_3, i64_4, f32_3, f32_4, f64_3, f64_4, c64_3, c64_4, c128_3, c128_4
  end interface

contains

  function i32_3(cells, halo, halo_above, axes) result(array)
    integer(int32), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_I32, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function i32_4(cells, halo, halo_above, axes) result(array)
    integer(int32), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_I32, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  function i64_3(cells, halo, halo_above, axes) result(array)
    integer(int64), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_I64, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function i64_4(cells, halo, halo_above, axes) result(array)
    integer(int64), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_I64, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  function f32_3(cells, halo, halo_above, axes) result(array)
    real(real32), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_F32, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function f32_4(cells, halo, halo_above, axes) result(array)
    real(real32), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_F32, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  function f64_3(cells, halo, halo_above, axes) result(array)
    real(real64), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_F64, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function f64_4(cells, halo, halo_above, axes) result(array)
    real(real64), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_F64, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  function c64_3(cells, halo, halo_above, axes) result(array)
    complex(real32), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_C64, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function c64_4(cells, halo, halo_above, axes) result(array)
    complex(real32), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_C64, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  function c128_3(cells, halo, halo_above, axes) result(array)
    complex(real64), intent(inout), target :: cells(:, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(3)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_C128, c_loc(cells(1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1)), &
       c_loc(cells(1, 1, min(2, n(3))))], halo, halo_above, axes)
  end function

  function c128_4(cells, halo, halo_above, axes) result(array)
    complex(real64), intent(inout), target :: cells(:, :, :, :)
    integer, intent(in) :: halo(3)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    integer :: n(4)
    n = shape(cells)
    if (size(cells) == 0) return
    array = described(HALOCLINE_C128, c_loc(cells(1, 1, 1, 1)), n, &
      [c_loc(cells(min(2, n(1)), 1, 1, 1)), &
       c_loc(cells(1, min(2, n(2)), 1, 1)), &
       c_loc(cells(1, 1, min(2, n(3)), 1)), &
       c_loc(cells(1, 1, 1, min(2, n(4))))], halo, halo_above, axes)
  end function

  ! Memory of a GPU, or any other, by its address: dense, x fastest, components one after another, where no strides (bytes) are given.
  function halocline_device_array(data, element, extent, halo, halo_above, components, stride, component_stride) result(array)
    type(c_ptr), intent(in) :: data
    integer, intent(in) :: element, extent(3), halo(3)
    integer, intent(in), optional :: halo_above(3), components
    integer(c_int64_t), intent(in), optional :: stride(3), component_stride
    type(halocline_array) :: array
    integer, parameter :: bytes(14) = [1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16]
    if (element < HALOCLINE_I8 .or. element > HALOCLINE_C128) then
      array%mistake = 'the element of an array is none of HALOCLINE_I8 to HALOCLINE_C128'
      return
    end if
    array%data = data
    array%element = element
    array%extent = extent
    array%halo_below = halo
    array%halo_above = halo
    if (present(halo_above)) array%halo_above = halo_above
    array%components = 1
    if (present(components)) array%components = components
    array%stride(1) = bytes(element)
    array%stride(2) = array%stride(1) * extent(1)
    array%stride(3) = array%stride(2) * extent(2)
    if (present(stride)) array%stride = stride
    array%component_stride = array%stride(3) * extent(3)
    if (present(component_stride)) array%component_stride = component_stride
  end function

  ! first: the address of the first element; next: of the second one along each index.
  function described(element, first, n, next, halo, halo_above, axes) result(array)
    integer, intent(in) :: element, n(:), halo(3)
    type(c_ptr), intent(in) :: first, next(:)
    integer, intent(in), optional :: halo_above(3)
    character(*), intent(in), optional :: axes
    type(halocline_array) :: array
    character(:), allocatable :: letters
    integer :: i, dim
    letters = 'xyzc'
    letters = letters(1:size(n))
    if (present(axes)) letters = axes
    array%mistake = "axes is '" // letters // "'; allowed is one letter for each index: x, y and z once each, and c for components"
    if (len(letters) /= size(n) .or. verify('xyz', letters) /= 0 .or. verify(letters, 'xyzc') /= 0) return
    deallocate (array%mistake)
    array%data = first
    array%element = element
    array%components = 1
    do i = 1, size(n)
      dim = index('xyzc', letters(i:i))
      if (dim == 4) then
        array%components = n(i)
        array%component_stride = address(next(i)) - address(first)
      else
        array%extent(dim) = n(i)
        array%stride(dim) = address(next(i)) - address(first)
      end if
    end do
    array%halo_below = halo
    array%halo_above = halo
    if (present(halo_above)) array%halo_above = halo_above
  end function

  pure integer(c_intptr_t) function address(pointer)
    type(c_ptr), intent(in) :: pointer
    address = transfer(pointer, 0_c_intptr_t)
  end function
end module
